// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Begins and ends regions in a quarter of the instructions that ctypes and Python themselves take,
 * since they count for the region. Without this module those do it. It is over Python's stable ABI,
 * and the library's functions come as addresses, so that one file serves each Python since 3.9 and
 * any libperfctr.so.7.
 */
#define Py_LIMITED_API 0x03090000
#include <Python.h>

struct call {
	void (*function)(void *);
	void *argument;
	PyObject *kept; /* has the argument's memory */
};

static void (*function_at(PyObject *address))(void *)
{
	return (void (*)(void *))(uintptr_t)PyLong_AsVoidPtr(address);
}

static PyObject *make_call(PyObject *capsule, PyObject *unused)
{
	const struct call *call = PyCapsule_GetPointer(capsule, NULL);

	(void)unused;
	call->function(call->argument);
	Py_RETURN_NONE;
}

static void forget_call(PyObject *capsule)
{
	struct call *call = PyCapsule_GetPointer(capsule, NULL);

	Py_DECREF(call->kept);
	PyMem_Free(call);
}

static PyMethodDef call_method = { "call", make_call, METH_NOARGS, "Makes the call." };

/* Returns a function without arguments that makes the call; NULL with an exception. */
static PyObject *wrap(const struct call *wanted)
{
	struct call *call = PyMem_Malloc(sizeof(*call));
	PyObject *capsule, *function;

	if (!call)
		return PyErr_NoMemory();
	*call = *wanted;
	capsule = PyCapsule_New(call, NULL, forget_call);
	if (!capsule) {
		PyMem_Free(call);
		return NULL;
	}
	Py_INCREF(call->kept);
	function = PyCFunction_NewEx(&call_method, capsule, NULL);
	Py_DECREF(capsule);
	return function;
}

static PyObject *caller(PyObject *module, PyObject *arguments)
{
	PyObject *function, *argument;
	struct call call;

	(void)module;
	if (!PyArg_UnpackTuple(arguments, "caller", 3, 3, &function, &argument, &call.kept))
		return NULL;
	call.function = function_at(function);
	call.argument = PyLong_AsVoidPtr(argument);
	return PyErr_Occurred() ? NULL : wrap(&call);
}

/* ---- what a with statement begins and ends ---- */

struct visits {
	PyObject head; /* as PyObject_HEAD has it */
	void (*begin)(void *);
	void (*end)(void *);
	void *region;
};

static PyObject *set_calls(PyObject *self, PyObject *arguments)
{
	struct visits *visits = (struct visits *)self;
	PyObject *begin, *end, *region;

	if (!PyArg_UnpackTuple(arguments, "_calls", 3, 3, &begin, &end, &region))
		return NULL;
	visits->begin = function_at(begin);
	visits->end = function_at(end);
	visits->region = PyLong_AsVoidPtr(region);
	if (PyErr_Occurred())
		return NULL;
	Py_RETURN_NONE;
}

/* As little as possible stands after begin and before end: it is executed in the region. */
static PyObject *enter(PyObject *self, PyObject *unused)
{
	struct visits *visits = (struct visits *)self;
	PyObject *done = PyObject_CallMethod(self, "_entering", NULL);

	(void)unused;
	if (!done)
		return NULL;
	Py_DECREF(done);
	Py_INCREF(self);
	if (visits->begin)
		visits->begin(visits->region);
	return self;
}

static PyObject *leave(PyObject *self, PyObject *arguments)
{
	struct visits *visits = (struct visits *)self;

	if (visits->end)
		visits->end(visits->region);
	return PyObject_CallMethod(self, "_leaving", "(O)", arguments);
}

static PyMethodDef visits_methods[] = {
	{ "_calls", set_calls, METH_VARARGS, "_calls(begin, end, region): their addresses." },
	{ "__enter__", enter, METH_NOARGS, "Calls _entering(), and begins a visit." },
	{ "__exit__", leave, METH_VARARGS,
	  "Ends a visit, and calls _leaving() with its arguments." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot visits_slots[] = {
	{ Py_tp_methods, visits_methods },
	{ 0, NULL },
};

static PyType_Spec visits_spec = {
	.name = "perfctr._quick.Visits",
	.basicsize = sizeof(struct visits),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = visits_slots,
};

static int add_type(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&visits_spec);

	if (!type)
		return -1;
	if (PyModule_AddObject(module, "Visits", type) < 0) {
		Py_DECREF(type);
		return -1;
	}
	return 0;
}

static PyMethodDef methods[] = {
	{ "caller", caller, METH_VARARGS,
	  "caller(function, argument, kept): the call of a function at an address, with one pointer; it keeps kept." },
	{ NULL, NULL, 0, NULL },
};

static PyModuleDef_Slot slots[] = { { Py_mod_exec, add_type }, { 0, NULL } };

static struct PyModuleDef module_of_calls = {
	PyModuleDef_HEAD_INIT, .m_name = "perfctr._quick", .m_doc = "Begins and ends regions.",
	.m_methods = methods,  .m_slots = slots,
};

PyMODINIT_FUNC PyInit__quick(void)
{
	return PyModuleDef_Init(&module_of_calls);
}

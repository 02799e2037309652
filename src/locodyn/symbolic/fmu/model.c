/* A robot behind the functions of FMI 3.0: co-simulation and model exchange.

   The robot is in robot.h, written for each FMU: the numbers of states, inputs and parameters, their start values, and two macros,
   RATES and STEP, that call its equations. All variables lie in one array by their value reference:
   0 time; 1.. states (positions, then speeds); then their derivatives; then inputs; then parameters; last the internal step. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"

#if defined(_WIN32)
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif

typedef int fmi3Status; /* 0 OK, 1 warning, 2 discard, 3 error, 4 fatal */
typedef void *fmi3Instance;
typedef void (*LogMessage)(void *environment, fmi3Status status, const char *category, const char *message);

enum { OK = 0, DISCARD = 2, ERROR = 3 };
enum { STATES = 1, RATES_AT = STATES + N_STATES, INPUTS = RATES_AT + N_STATES, PARAMETERS = INPUTS + N_INPUTS };
enum { STEP_AT = PARAMETERS + N_PARAMETERS, N_VALUES };

typedef struct {
    double value[N_VALUES];
    void *environment;
    LogMessage log;
    bool exchanges; /* a solver outside integrates */
} Robot;

static fmi3Status complain(Robot *robot, fmi3Status status, const char *message)
{
    if (robot->log) robot->log(robot->environment, status, status == DISCARD ? "logStatusDiscard" : "logStatusError", message);
    return status;
}

static void begin(Robot *robot)
{
    static const double states[] = START_STATES, inputs[] = START_INPUTS, parameters[] = START_PARAMETERS;
    memset(robot->value, 0, sizeof robot->value);
    memcpy(robot->value + STATES, states, N_STATES * sizeof(double));
    memcpy(robot->value + INPUTS, inputs, N_INPUTS * sizeof(double));
    memcpy(robot->value + PARAMETERS, parameters, N_PARAMETERS * sizeof(double));
    robot->value[STEP_AT] = START_STEP;
}

/* The equations hold for quaternions of norm 1; those of a solver outside are nearly so. `change` (or NULL) goes along. */
static void normalise(double *value, double *change)
{
    static const int quaternions[] = QUATERNIONS; /* where they begin among the positions; -1 ends the list */
    for (const int *first = quaternions; *first >= 0; first++) {
        double *q = value + STATES + *first, along = 0.0;
        const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(size > 0.0)) continue;
        for (int i = 0; i < 4; i++) q[i] /= size;
        if (!change) continue;
        double *dq = change + STATES + *first;
        for (int i = 0; i < 4; i++) along += q[i] * dq[i];
        for (int i = 0; i < 4; i++) dq[i] = (dq[i] - along * q[i]) / size;
    }
}

/* Rates of the states. */
static void find_rates(Robot *robot)
{
    double value[N_VALUES];
    memcpy(value, robot->value, sizeof value);
    normalise(value, NULL);
    RATES(value, robot->value + RATES_AT);
}

static bool all_finite(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

static Robot *made(const char *token, void *environment, LogMessage log)
{
    if (!token || strcmp(token, TOKEN) != 0) {
        if (log) log(environment, ERROR, "logStatusError", "The instantiation token is not that of this FMU.");
        return NULL;
    }
    Robot *robot = calloc(1, sizeof(Robot));
    if (!robot) return NULL;
    robot->environment = environment;
    robot->log = log;
    begin(robot);
    return robot;
}

PUBLIC const char *fmi3GetVersion(void) { return "3.0"; }

PUBLIC fmi3Status fmi3SetDebugLogging(fmi3Instance instance, bool on, size_t n, const char *const categories[])
{
    (void)instance, (void)on, (void)n, (void)categories;
    return OK;
}

PUBLIC fmi3Instance fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, LogMessage log)
{
    (void)name, (void)resources, (void)visible;
    Robot *robot = made(token, environment, log);
    if (robot) robot->exchanges = true;
    (void)logging;
    return robot;
}

PUBLIC fmi3Instance fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging, bool event_mode, bool early_return, const uint32_t required[], size_t n_required, void *environment, LogMessage log, void (*intermediate)(void))
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return, (void)required, (void)n_required, (void)intermediate;
    return made(token, environment, log);
}

PUBLIC fmi3Instance fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, LogMessage log, void (*clock)(void), void (*lock)(void), void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log) log(environment, ERROR, "logStatusError", "This FMU has no scheduled execution.");
    return NULL;
}

PUBLIC void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

PUBLIC fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Robot *)instance)->value[0] = start;
    return OK;
}

PUBLIC fmi3Status fmi3Reset(fmi3Instance instance)
{
    begin(instance);
    return OK;
}

/* Changes of mode that need nothing. */
#define NOTHING(name) \
    PUBLIC fmi3Status name(fmi3Instance instance) \
    { \
        (void)instance; \
        return OK; \
    }
NOTHING(fmi3ExitInitializationMode)
NOTHING(fmi3EnterEventMode)
NOTHING(fmi3Terminate)
NOTHING(fmi3EnterConfigurationMode)
NOTHING(fmi3ExitConfigurationMode)
NOTHING(fmi3EvaluateDiscreteStates)
NOTHING(fmi3EnterContinuousTimeMode)
NOTHING(fmi3EnterStepMode)

PUBLIC fmi3Status fmi3GetFloat64(fmi3Instance instance, const uint32_t references[], size_t n, double values[], size_t n_values)
{
    Robot *robot = instance;
    if (n != n_values) return complain(robot, ERROR, "There must be one value for each reference.");
    bool fresh = false;
    for (size_t i = 0; i < n; i++) {
        if (references[i] >= N_VALUES) return complain(robot, ERROR, "There is no variable of this reference.");
        if (references[i] >= RATES_AT && references[i] < INPUTS && !fresh) {
            find_rates(robot);
            fresh = true;
        }
        values[i] = robot->value[references[i]];
    }
    return OK;
}

PUBLIC fmi3Status fmi3SetFloat64(fmi3Instance instance, const uint32_t references[], size_t n, const double values[], size_t n_values)
{
    Robot *robot = instance;
    if (n != n_values) return complain(robot, ERROR, "There must be one value for each reference.");
    for (size_t i = 0; i < n; i++) {
        const uint32_t k = references[i];
        if (k == 0 || k >= N_VALUES || (k >= RATES_AT && k < INPUTS)) return complain(robot, ERROR, "This variable cannot be set.");
        if (!isfinite(values[i])) return complain(robot, ERROR, "A value is not finite.");
        if (k == STEP_AT && !(values[i] > 0.0)) return complain(robot, ERROR, "The internal step must be positive.");
        robot->value[k] = values[i];
    }
    return OK;
}

/* All variables are Float64. */
#define OTHER(type, word) \
    PUBLIC fmi3Status fmi3Get##word(fmi3Instance instance, const uint32_t r[], size_t n, type v[], size_t m) \
    { \
        (void)r, (void)v, (void)m; \
        return n ? complain(instance, ERROR, "All variables are Float64.") : OK; \
    } \
    PUBLIC fmi3Status fmi3Set##word(fmi3Instance instance, const uint32_t r[], size_t n, const type v[], size_t m) \
    { \
        (void)r, (void)v, (void)m; \
        return n ? complain(instance, ERROR, "All variables are Float64.") : OK; \
    }
typedef const char *text;
OTHER(float, Float32)
OTHER(int8_t, Int8)
OTHER(uint8_t, UInt8)
OTHER(int16_t, Int16)
OTHER(uint16_t, UInt16)
OTHER(int32_t, Int32)
OTHER(uint32_t, UInt32)
OTHER(int64_t, Int64)
OTHER(uint64_t, UInt64)
OTHER(bool, Boolean)
OTHER(text, String)

PUBLIC fmi3Status fmi3GetBinary(fmi3Instance instance, const uint32_t r[], size_t n, size_t sizes[], const uint8_t *values[], size_t m)
{
    (void)r, (void)sizes, (void)values, (void)m;
    return n ? complain(instance, ERROR, "All variables are Float64.") : OK;
}

PUBLIC fmi3Status fmi3SetBinary(fmi3Instance instance, const uint32_t r[], size_t n, const size_t sizes[], const uint8_t *const values[], size_t m)
{
    (void)r, (void)sizes, (void)values, (void)m;
    return n ? complain(instance, ERROR, "All variables are Float64.") : OK;
}

/* What this FMU says that it does not have. */
#define ABSENT(name, ...) \
    PUBLIC fmi3Status name(fmi3Instance instance, __VA_ARGS__) { return complain(instance, ERROR, "This FMU does not have " #name "."); }
ABSENT(fmi3GetClock, const uint32_t r[], size_t n, bool v[])
ABSENT(fmi3SetClock, const uint32_t r[], size_t n, const bool v[])
ABSENT(fmi3GetNumberOfVariableDependencies, uint32_t r, size_t *n)
ABSENT(fmi3GetVariableDependencies, uint32_t r, size_t a[], uint32_t b[], size_t c[], int d[], size_t n)
ABSENT(fmi3GetAdjointDerivative, const uint32_t a[], size_t n, const uint32_t b[], size_t m, const double s[], size_t k, double x[], size_t l)
ABSENT(fmi3GetIntervalDecimal, const uint32_t r[], size_t n, double v[], int q[])
ABSENT(fmi3GetIntervalFraction, const uint32_t r[], size_t n, uint64_t c[], uint64_t d[], int q[])
ABSENT(fmi3GetShiftDecimal, const uint32_t r[], size_t n, double v[])
ABSENT(fmi3GetShiftFraction, const uint32_t r[], size_t n, uint64_t c[], uint64_t d[])
ABSENT(fmi3SetIntervalDecimal, const uint32_t r[], size_t n, const double v[])
ABSENT(fmi3SetIntervalFraction, const uint32_t r[], size_t n, const uint64_t c[], const uint64_t d[])
ABSENT(fmi3SetShiftDecimal, const uint32_t r[], size_t n, const double v[])
ABSENT(fmi3SetShiftFraction, const uint32_t r[], size_t n, const uint64_t c[], const uint64_t d[])
ABSENT(fmi3GetOutputDerivatives, const uint32_t r[], size_t n, const int32_t o[], double v[], size_t m)
ABSENT(fmi3ActivateModelPartition, uint32_t clock, double time)

/* How rates and states (which are outputs) change with states, inputs and parameters, along the direction `seed`. */
PUBLIC fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const uint32_t unknowns[], size_t n_unknowns, const uint32_t knowns[], size_t n_knowns, const double seed[], size_t n_seed, double sensitivity[], size_t n_sensitivity)
{
    Robot *robot = instance;
    double value[N_VALUES], change[N_VALUES] = {0.0}, direction[N_VALUES];
    if (n_seed != n_knowns || n_sensitivity != n_unknowns) return complain(robot, ERROR, "There must be one number for each reference.");
    for (size_t i = 0; i < n_knowns; i++) {
        const uint32_t k = knowns[i];
        if (k >= STEP_AT || (k >= RATES_AT && k < INPUTS)) return complain(robot, ERROR, "There is no derivative by this variable.");
        change[k] += seed[i]; /* nothing depends on time (0) itself */
    }
    memcpy(value, robot->value, sizeof value);
    memcpy(direction, change, sizeof direction);
    normalise(value, direction);
    TANGENT(value, direction, change + RATES_AT);
    for (size_t i = 0; i < n_unknowns; i++) {
        const uint32_t k = unknowns[i];
        if (k < STATES || k >= INPUTS) return complain(robot, ERROR, "There is no derivative of this variable.");
        sensitivity[i] = change[k];
    }
    return all_finite(sensitivity, n_unknowns) ? OK : complain(robot, DISCARD, "A derivative is not finite: the configuration is singular.");
}

/* ------------------------------------------------------------------------------------------------ states that are kept */
PUBLIC fmi3Status fmi3GetFMUState(fmi3Instance instance, void **state)
{
    if (!*state) *state = malloc(sizeof(double) * N_VALUES);
    if (!*state) return complain(instance, ERROR, "There is no memory for a state.");
    memcpy(*state, ((Robot *)instance)->value, sizeof(double) * N_VALUES);
    return OK;
}

PUBLIC fmi3Status fmi3SetFMUState(fmi3Instance instance, void *state)
{
    memcpy(((Robot *)instance)->value, state, sizeof(double) * N_VALUES);
    return OK;
}

PUBLIC fmi3Status fmi3FreeFMUState(fmi3Instance instance, void **state)
{
    (void)instance;
    free(*state);
    *state = NULL;
    return OK;
}

PUBLIC fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, void *state, size_t *size)
{
    (void)instance, (void)state;
    *size = sizeof(double) * N_VALUES;
    return OK;
}

PUBLIC fmi3Status fmi3SerializeFMUState(fmi3Instance instance, void *state, uint8_t bytes[], size_t size)
{
    if (size < sizeof(double) * N_VALUES) return complain(instance, ERROR, "The room for a state is too small.");
    memcpy(bytes, state, sizeof(double) * N_VALUES);
    return OK;
}

PUBLIC fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const uint8_t bytes[], size_t size, void **state)
{
    if (size != sizeof(double) * N_VALUES) return complain(instance, ERROR, "These bytes are not a state of this FMU.");
    if (!*state) *state = malloc(size);
    if (!*state) return complain(instance, ERROR, "There is no memory for a state.");
    memcpy(*state, bytes, size);
    return OK;
}

/* ------------------------------------------------------------------------------------------------------ model exchange */
PUBLIC fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, bool *again, bool *ends, bool *nominals, bool *states, bool *has_next, double *next)
{
    (void)instance;
    *again = *ends = *nominals = *states = *has_next = false;
    *next = 0.0;
    return OK;
}

PUBLIC fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, bool no_return, bool *event, bool *ends)
{
    (void)instance, (void)no_return;
    *event = *ends = false;
    return OK;
}

PUBLIC fmi3Status fmi3SetTime(fmi3Instance instance, double time)
{
    ((Robot *)instance)->value[0] = time;
    return OK;
}

PUBLIC fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n)
{
    (void)instance;
    *n = N_STATES;
    return OK;
}

PUBLIC fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n)
{
    (void)instance;
    *n = 0;
    return OK;
}

PUBLIC fmi3Status fmi3GetEventIndicators(fmi3Instance instance, double indicators[], size_t n)
{
    (void)indicators;
    return n ? complain(instance, ERROR, "This FMU has no event indicators.") : OK;
}

PUBLIC fmi3Status fmi3GetContinuousStates(fmi3Instance instance, double states[], size_t n)
{
    if (n != N_STATES) return complain(instance, ERROR, "The number of states is another one.");
    memcpy(states, ((Robot *)instance)->value + STATES, n * sizeof(double));
    return OK;
}

PUBLIC fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const double states[], size_t n)
{
    if (n != N_STATES) return complain(instance, ERROR, "The number of states is another one.");
    if (!all_finite(states, n)) return complain(instance, DISCARD, "A state is not finite.");
    memcpy(((Robot *)instance)->value + STATES, states, n * sizeof(double));
    return OK;
}

PUBLIC fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, double rates[], size_t n)
{
    Robot *robot = instance;
    if (n != N_STATES) return complain(robot, ERROR, "The number of states is another one.");
    find_rates(robot);
    if (!all_finite(robot->value + RATES_AT, n)) return complain(robot, DISCARD, "A rate is not finite: the configuration is singular.");
    memcpy(rates, robot->value + RATES_AT, n * sizeof(double));
    return OK;
}

PUBLIC fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, double nominals[], size_t n)
{
    (void)instance;
    for (size_t i = 0; i < n; i++) nominals[i] = 1.0;
    return OK;
}

/* ------------------------------------------------------------------------------------------------------- co-simulation */
/* Equal steps of the classical Runge-Kutta method, none longer than the internal step; inputs are constant on the way. */
PUBLIC fmi3Status fmi3DoStep(fmi3Instance instance, double now, double size, bool no_return, bool *event, bool *ends, bool *early, double *last)
{
    Robot *robot = instance;
    double *value = robot->value, before[N_VALUES];
    (void)no_return;
    *event = *ends = *early = false;
    *last = now;
    if (robot->exchanges) return complain(robot, ERROR, "This instance is for model exchange.");
    if (!(size > 0.0)) return complain(robot, ERROR, "The communication step must be positive.");
    memcpy(before, value, sizeof before);
    const double count = fmax(1.0, ceil(size / value[STEP_AT] - 1e-9));
    if (count > 1e9) return complain(robot, ERROR, "The communication step is more than 1e9 internal steps.");
    for (double k = 0.0; k < count; k++) STEP(size / count, value);
    if (!all_finite(value + STATES, N_STATES)) {
        memcpy(value, before, sizeof before);
        return complain(robot, DISCARD, "A state is no longer finite: take a smaller step, or look at the inputs.");
    }
    value[0] = *last = now + size;
    return OK;
}

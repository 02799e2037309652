"""States z of laws with memory in implicit steps: unknown like accelerations, taken out of Newton's matrix block by block.

A state has a rate like a velocity, but no position. With the unknowns P_j of a scheme (see ``implicit/schemes.py``),

    Z_i = Z0_i + h sum_j B1_ij P_j,      w_i = w0_i + sum_j B0_ij P_j,      w_i - f(t_i, q_i, v_i, Z_i) = 0

beside the equation of motion. A block of Newton's matrix with the eigenvalues (b0, b1, b2) has then, G = h^2 b2 f_q + h b1 f_v,

    [ K_eff     h b1 r_z       ] [ A ]   [ -r ]
    [ -G        b0 - h b1 f_z  ] [ P ] = [ -s ],

and P = B^-1 (-s + G A), B = b0 - h b1 f_z, leaves (K_eff + h b1 r_z B^-1 G) A = -r + h b1 r_z B^-1 s. B falls into the blocks of
the laws, at most 6 by 6, so that nothing of the size of the robot grows, and stiff states (bristles) take the steps of the robot.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.locomotion.drive_memory import begin_memory


@compiled(inline=True)
def start_states(memory, history):
    """Rates at the start, where the dynamics has just found them."""
    for c in range(memory.rate.shape[0]):
        history.memory_rate[c] = memory.rate[c]
        history.memory_pseudo[c] = memory.rate[c]


@compiled(inline=True)
def begin_states(scheme, h, smooth, still, memory, history, stages):
    """Known parts of a step of length h, and a first guess: extrapolated, constant, or no change."""
    count = scheme.times.shape[0]
    begin_memory(memory)
    for c in range(memory.state.shape[0]):
        old, last = history.memory_pseudo[c], history.memory_rate[c]
        for k in range(count):
            stages.known_memory[k, c] = memory.state[c]
            stages.known_memory_rate[k, c] = 0.0
            stages.memory_guess[k, c] = 0.0 if still else last
            if scheme.remembers != 0:
                stages.known_memory[k, c] += h * (1.0 - scheme.gamma) * old
                stages.known_memory_rate[k, c] = (scheme.alpha_m * old - scheme.alpha_f * last) / (1.0 - scheme.alpha_f)
                stages.memory_guess[k, c] = 0.0 if still else old
            elif smooth:
                stages.memory_guess[k, c] = 0.0
                for j in range(count):
                    stages.memory_guess[k, c] += scheme.predictor[k, j] * stages.memory[j, c]
    for k in range(count):
        for c in range(memory.state.shape[0]):
            stages.memory[k, c] = stages.memory_guess[k, c]


@compiled(inline=True)
def stage_states(scheme, h, k, stages, memory):
    """``memory.value``: states at stage k."""
    for c in range(memory.value.shape[0]):
        memory.value[c] = stages.known_memory[k, c]
        for j in range(scheme.times.shape[0]):
            memory.value[c] += h * scheme.velocities[k, j] * stages.memory[j, c]


@compiled(inline=True)
def mean_states(scheme, h, stages, memory):
    """``memory.value``: the mean of the stages."""
    count = scheme.times.shape[0]
    for c in range(memory.value.shape[0]):
        memory.value[c] = 0.0
        for k in range(count):
            memory.value[c] += stages.known_memory[k, c] / count
            for j in range(count):
                memory.value[c] += h * scheme.velocities[k, j] * stages.memory[j, c] / count


@compiled(inline=True)
def states_residual(scheme, k, stages, memory):
    """w - f at stage k, whose rates f have just been found."""
    for c in range(memory.rate.shape[0]):
        total = stages.known_memory_rate[k, c] - memory.rate[c]
        for j in range(scheme.times.shape[0]):
            total += scheme.accelerations[k, j] * stages.memory[j, c]
        stages.memory_residual[k, c] = total


@compiled(inline=True)
def finish_states(scheme, h, stages, history, memory):
    """States at the end of a step, and their rates."""
    count = scheme.times.shape[0]
    for c in range(memory.state.shape[0]):
        if scheme.remembers != 0:
            new = stages.memory[0, c]
            memory.state[c] = stages.known_memory[0, c] + h * scheme.velocities[0, 0] * new
            history.memory_rate[c] = stages.known_memory_rate[0, c] + scheme.accelerations[0, 0] * new
            history.memory_pseudo[c] = new
            continue
        for k in range(count):
            memory.state[c] += h * scheme.weights[1, k] * stages.memory[k, c]
        history.memory_rate[c] = stages.memory[count - 1, c]
    begin_memory(memory)


@compiled
def invert_blocks(problem, factors, h, slopes, order, inverse):
    """``inverse`` (nz, 6): B^-1 of every block, B = b0 - h b1 f_z. ``order`` (6,) int64 is scratch."""
    blocks = problem.blocks
    for block in range(blocks.first.shape[0]):
        first, count = blocks.first[block], blocks.count[block]
        for i in range(count):
            for j in range(count):
                inverse[first + i, j] = -h * factors[1] * slopes[first + i, j]
            inverse[first + i, i] += factors[0]
        invert(first, count, order, inverse)


@compiled
def invert(first, count, order, matrix):
    """The ``count`` rows from ``first`` on become the inverse of the square in their first columns (Gauss and Jordan)."""
    for k in range(count):
        best = k
        largest = 0.0
        for i in range(k, count):
            size = abs(matrix[first + i, k].real) + abs(matrix[first + i, k].imag)
            if size > largest:
                largest = size
                best = i
        order[k] = best
        for j in range(count):
            matrix[first + k, j], matrix[first + best, j] = matrix[first + best, j], matrix[first + k, j]
        pivot = 1.0 / matrix[first + k, k]
        matrix[first + k, k] = 1.0
        for j in range(count):
            matrix[first + k, j] *= pivot
        for i in range(count):
            if i != k:
                factor = matrix[first + i, k]
                matrix[first + i, k] = 0.0
                for j in range(count):
                    matrix[first + i, j] -= factor * matrix[first + k, j]
    for k in range(count - 1, -1, -1):  # rows that were exchanged are columns of the inverse
        for i in range(count):
            matrix[first + i, k], matrix[first + i, order[k]] = matrix[first + i, order[k]], matrix[first + i, k]


@compiled
def add_states(problem, tangent, factors, h, inverse, scales, matrix):
    """matrix += h b1 r_z B^-1 G, scaled like the rest."""
    blocks, nv = problem.blocks, tangent.by_z.shape[0]
    b1 = h * factors[1]
    b2 = h * h * factors[2]
    for block in range(blocks.first.shape[0]):
        first, count = blocks.first[block], blocks.count[block]
        for j in range(nv):
            for c in range(count):
                moved = 0.0 * b1
                for d in range(count):
                    m = first + d
                    moved += inverse[first + c, d] * (b2 * tangent.rate_by_q[m, j] + b1 * tangent.rate_by_v[m, j])
                for i in range(nv):
                    matrix[i, j] += (b1 * tangent.by_z[i, first + c] * moved) * (scales[i] * scales[j])


@compiled
def take_states(problem, tangent, b1, inverse, missed, rates, side):
    """rates = B^-1 missed, and side -= h b1 r_z rates, ``b1`` being h b1: what the states do where nothing moves."""
    blocks = problem.blocks
    for block in range(blocks.first.shape[0]):
        first, count = blocks.first[block], blocks.count[block]
        for c in range(first, first + count):
            rates[c] = 0.0
            for d in range(count):
                rates[c] += inverse[c, d] * missed[first + d]
            for i in range(tangent.by_z.shape[0]):
                side[i] -= b1 * tangent.by_z[i, c] * rates[c]


@compiled
def add_moved(problem, tangent, factors, h, inverse, scales, side, rates):
    """rates += B^-1 G A: what the states do with the motion; ``side`` is the scaled solution A."""
    blocks = problem.blocks
    b1 = h * factors[1]
    b2 = h * h * factors[2]
    for block in range(blocks.first.shape[0]):
        first, count = blocks.first[block], blocks.count[block]
        for d in range(count):
            m = first + d
            moved = 0.0 * b1
            for i in range(tangent.by_z.shape[0]):
                moved += (b2 * tangent.rate_by_q[m, i] + b1 * tangent.rate_by_v[m, i]) * (side[i] * scales[i])
            for c in range(first, first + count):
                rates[c] += inverse[c, d] * moved


@compiled
def weigh_states(tangent, h, weight):
    """``weight`` (nz,): acceleration by the force of a state whose rate is one, after h, in the norm of the mass matrix."""
    for c in range(weight.shape[0]):
        total = 0.0
        for i in range(tangent.by_z.shape[0]):
            if tangent.by_a[i, i] > 0.0:
                total += tangent.by_z[i, c] * tangent.by_z[i, c] / tangent.by_a[i, i]
        weight[c] = h * sqrt(total)

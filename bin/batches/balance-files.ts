import type { Input, Piece } from './plan.ts'

/** Distributes whole files over groups of similar size in bytes. */
export function balanceFiles(inputs: readonly Input[], groups: number): Piece[][] {
  const filled = Array.from({ length: Math.max(1, Math.min(groups, inputs.length)) }, () => ({
    bytes: 0,
    pieces: [] as Piece[],
  }))
  const wholes = inputs.map(({ size }, input) => ({ input, start: 0, end: size }))
  // Assigns the largest files first, each to the smallest group (Graham, 1969: at most a third above the optimum).
  for (const whole of wholes.sort((a, b) => b.end - a.end)) {
    const least = filled.reduce((a, b) => (b.bytes < a.bytes ? b : a))
    least.pieces.push(whole)
    least.bytes += whole.end
  }
  return filled.map(({ pieces }) => pieces.sort((a, b) => a.input - b.input))
}

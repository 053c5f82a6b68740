import type { Command } from 'commander'

/** Largest number of worker threads of a process. */
const MAX_THREADS = 256

/**
 * Returns the number of worker threads from `--threads`. Without the option, returns the default, at most
 * MAX_THREADS. An invalid number ends the command with an error.
 */
export function threadCount(
  given: string | undefined,
  byDefault: number,
  command: Command,
): number {
  if (given === undefined) return Math.min(byDefault, MAX_THREADS)
  const threads = Number(given)
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    command.error(`--threads ${given} is not a number from 1 to ${MAX_THREADS}`)
  }
  return threads
}

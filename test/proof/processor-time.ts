import { readFileSync } from 'node:fs'

/** Linux counts ticks at this rate on every processor that Node runs on. */
const TICKS_PER_SECOND = 100

/**
 * Processor seconds of this process so far, including child processes that it has waited for. On systems other
 * than Linux, those of this process only.
 */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name in parentheses may contain blanks. It is followed by the state and numbers: proc(5) lists utime,
  // stime, cutime and cstime as fields 14 to 17.
  const [utime, stime, cutime, cstime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  return ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) / TICKS_PER_SECOND
}

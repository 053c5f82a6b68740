import { readFileSync } from 'node:fs'

/** What a process has used of all processors so far, in milliseconds, to 10. Linux only. */
export function processorTime(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the name in parentheses, which may hold blanks, the 12th and 13th are user and system.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Milliseconds that this process uses of all processors for the work. */
export async function ownProcessorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

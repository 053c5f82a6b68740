import { readFileSync } from 'node:fs'
import { type ChildServer, startNode } from '../../child-server.ts'
import { THREADS } from './threads.ts'

/** The service in a process of its own, started as by anyone. */
export interface Service extends ChildServer {
  /** Megabytes of 1e6 bytes that the process holds now, and held at most. */
  memory(): { readonly now: number; readonly peak: number }
  readonly pid: number | undefined
}

/** The heap settings of the package's start script. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']

/** @param settings variables that change how it runs */
export async function startService(
  home: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const serve = ['bin/casemill.ts', '--data', home, 'serve', '--port', '0']
  const words = [...HEAP, ...serve, '--threads', String(THREADS)]
  const { pid, ...server } = await startNode(words, settings)
  return { ...server, pid, memory: () => ({ now: held(pid, 'VmRSS'), peak: held(pid, 'VmHWM') }) }
}

/** Clock ticks of /proc in a second, on Linux. */
const TICKS_PER_SECOND = 100

/** Microseconds of processor time that a process has taken with all its threads. Linux only. */
export function processorTime(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name stands in brackets and may hold blanks; the times are the 14th and 15th field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_PER_SECOND
}

/** Linux only. */
export function held(pid: number | 'self' | undefined, name: 'VmHWM' | 'VmRSS'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
  return (Number(kilobytes) * 1024) / 1e6
}

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChildServer, startNode } from '../child-server.ts'
import { held, processorTime } from '../commons/search/service.ts'

export interface ScaledService extends ChildServer {
  /** Megabytes of 1e6 bytes that each of its processes holds; the one that starts the others first. */
  megabytes(): readonly number[]
  /** Megabytes of all together: pages that several of them map count once (proportional set size). */
  sharedMegabytes(): number
  /** Milliseconds of processor time that each has taken, in the same order. */
  processorTimes(): readonly number[]
}

/** The heap settings of the package's start script. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']
const MAX_LOOKS = 3000

/** Starts the service with one worker thread a process; resolves when all its processes answer. */
export async function startScaled(home: string, processes: number): Promise<ScaledService> {
  const serve = ['bin/casemill.ts', '--data', home, 'serve', '--port', '0', '--threads', '1']
  const words = [...HEAP, ...serve, '--processes', String(processes)]
  const { pid, ...server } = await startNode(words, { CASEMILL_LOG_LEVEL: 'silent' })
  const service = {
    ...server,
    megabytes: () => familyOf(pid).map((one) => held(one, 'VmRSS')),
    sharedMegabytes: () => familyOf(pid).reduce((sum: number, one) => sum + proportional(one), 0),
    processorTimes: () => familyOf(pid).map((one) => processorTime(one) / 1000),
  }
  for (let look = 0; look < MAX_LOOKS; look++) {
    const text = await (await fetch(`${server.address}/metrics`)).text()
    if (new RegExp(`^casemill_processes ${processes}$`, 'm').test(text)) return service
    await sleep(100)
  }
  await server.stop()
  throw new Error(`${processes} processes do not come to answer`)
}

/** Megabytes of 1e6 bytes, of which a page that n processes map counts 1/n. Linux only. */
function proportional(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return (Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024) / 1e6
}

function familyOf(pid: number | undefined): readonly (number | undefined)[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(text === '' ? [] : text.split(' ').map(Number))]
}

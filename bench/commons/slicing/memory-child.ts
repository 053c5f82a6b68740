import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AlignmentPaths } from '../../../engine/commons/slicing/parts.ts'
import { DEFAULT_LIMITS, Slicer } from '../../../engine/commons/slicing/slicer.ts'
import { warmThreads } from '../../../engine/commons/slicing/warm.ts'
import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { type InputName, layoutOf } from './layout.ts'
import { THREADS, timeSlice } from './ours.ts'

// A process of its own whose peak memory is measured: warm it, note what it holds, then make a
// hundred slices of growing size. Linux only, since it reads /proc.

interface MemoryRequest {
  readonly paths: AlignmentPaths
  readonly layout: InputName
}

/** Resident memory, in megabytes of 1e6 bytes. */
interface MemoryPeak {
  readonly idle: number
  readonly peak: number
}

/** Of two passes over the same slices. */
export type MemoryReport = readonly [MemoryPeak, MemoryPeak]

const SLICES = 100
const SMALLEST = 10_000
const WARM_PASSES = 2
const SETTLE_MILLISECONDS = 500

/** Lengths grow by a constant factor up to the distance that `mid` is a part of, then all of it. */
function growingSlices({ mid, chromosomes }: ReturnType<typeof layoutOf>) {
  const extent = 2 * (mid.end - mid.start)
  const count = SLICES - 1
  const sizes = Array.from({ length: count }, (_, i) => {
    return Math.round(SMALLEST * (extent / SMALLEST) ** (i / (count - 1)))
  })
  const slices: (readonly NamedInterval[])[] = sizes.map((size) => {
    const start = mid.start - Math.round((mid.end - mid.start) / 2)
    return [{ reference: mid.reference, start, end: start + size }]
  })
  return [...slices, chromosomes]
}

function statusValue(name: 'VmHWM' | 'VmRSS'): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync('/proc/self/status', 'utf8'),
  )
  return (Number(found?.[1]) * 1024) / 1e6
}

async function peakOf(work: () => Promise<void>): Promise<MemoryPeak> {
  await sleep(SETTLE_MILLISECONDS)
  let idle = statusValue('VmHWM')
  try {
    // Sets the peak back to what is held now; without the right to, the peak so far counts as idle.
    writeFileSync('/proc/self/clear_refs', '5')
    idle = statusValue('VmRSS')
  } catch {}
  await work()
  return { idle, peak: statusValue('VmHWM') }
}

async function main({ paths, layout: name }: MemoryRequest): Promise<MemoryReport> {
  const pool = new ThreadPool({ threads: THREADS })
  const how = paths.directoryPath ? 'directory' : 'index'
  const layout = layoutOf(name)
  let slicer = new Slicer(pool, DEFAULT_LIMITS)
  const sliceSmall = async () => {
    for (const region of layout.small) await timeSlice(slicer, paths, [region], how)
  }
  const sliceGrowing = async () => {
    for (const slice of growingSlices(layout)) await timeSlice(slicer, paths, slice, how)
  }
  try {
    // As the service does at its start; then the file is opened. Nothing larger than a gene.
    await warmThreads(pool)
    for (let i = 0; i < WARM_PASSES; i++) await sliceSmall()
    const first = await peakOf(sliceGrowing)
    if (how === 'index') {
      // So that the second pass is a first visit too.
      await slicer.close()
      slicer = new Slicer(pool, DEFAULT_LIMITS)
      await sliceSmall()
    }
    return [first, await peakOf(sliceGrowing)]
  } finally {
    await slicer.close()
    await pool.close()
  }
}

if (import.meta.main) console.log(JSON.stringify(await main(JSON.parse(process.argv[2] ?? '{}'))))

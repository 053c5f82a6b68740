import { type Alignment, openAlignment } from '../../../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../../../engine/commons/slicing/build-directory.ts'
import { saveDirectory } from '../../../../engine/commons/slicing/directory.ts'
import {
  type AlignmentParts,
  type AlignmentPaths,
  localAlignment,
} from '../../../../engine/commons/slicing/parts.ts'
import { intervalsOf } from '../../../../engine/commons/slicing/select.ts'
import {
  DEFAULT_LIMITS,
  type PlanOptions,
  type SliceLimits,
  type SliceOptions,
  type SlicePlan,
  Slicer,
} from '../../../../engine/commons/slicing/slicer.ts'
import { atOnce } from '../../../../engine/shared/concurrency/at-once.ts'
import { type Executor, inlineExecutor } from '../../../../engine/shared/executor.ts'
import { type NamedInterval, parseRegion } from '../../../../engine/shared/input/region.ts'
import type { SliceRequest } from './requests.ts'

/** The result of a slice: all of it, or the part before an error. */
export interface Outcome {
  readonly bytes: Buffer
  readonly error: unknown
  /** Whether the error came before the body, when a status can still report it. */
  readonly early: boolean
}

interface SliceCall extends SliceOptions {
  /** Called after each chunk with the number of chunks so far. */
  readonly onChunk?: (chunks: number) => void | Promise<void>
}

/** A slicer for one file that takes slices by name and collects their bytes. */
export class FileSlicer {
  readonly parts: AlignmentParts
  readonly #slicer: Slicer

  /** @param file paths of a local file, or the parts of any file */
  constructor(
    file: AlignmentPaths | AlignmentParts,
    executor: Executor = inlineExecutor,
    limits: Partial<SliceLimits> = {},
  ) {
    this.parts = 'path' in file ? localAlignment(file) : file
    this.#slicer = new Slicer(executor, { ...DEFAULT_LIMITS, ...limits })
  }

  plan(request: SliceRequest, options?: PlanOptions): Promise<SlicePlan> {
    return this.#slicer.plan(this.parts, selectionOf(request), options)
  }

  /** Makes a slice and keeps its bytes or error. */
  async slice(request: SliceRequest, { onChunk, ...options }: SliceCall = {}): Promise<Outcome> {
    const parts: Buffer[] = []
    let started = false
    try {
      await using slice = await this.#slicer.slice(this.parts, selectionOf(request), options)
      started = true
      for await (const chunk of slice.body) {
        // The chunk's memory will be reused.
        parts.push(Buffer.from(chunk))
        await onChunk?.(parts.length)
      }
      return { bytes: Buffer.concat(parts), error: undefined, early: false }
    } catch (error) {
      return { bytes: Buffer.concat(parts), error, early: !started }
    }
  }

  /** Returns the bytes of a slice that must succeed. */
  async bytes(request: SliceRequest): Promise<Buffer> {
    const { bytes, error } = await this.slice(request)
    if (error) throw error
    return bytes
  }

  load() {
    return this.#slicer.load()
  }

  close(): Promise<void> {
    return this.#slicer.close()
  }
}

function selectionOf({ intervals, unplaced }: SliceRequest) {
  return (alignment: Alignment) => ({
    intervals: atOnce(intervalsOf(alignment, intervals.map(throughText))),
    unplaced,
  })
}

/** The interval as a client would write it (1-based inclusive), if its name can be written. */
function throughText(interval: NamedInterval): NamedInterval {
  const { reference, start, end } = interval
  if (!/^[a-zA-Z0-9]+$/.test(reference) || reference === 'unmapped') return interval
  const range = end === Infinity ? `${start + 1}` : `${start === 0 ? '' : start + 1}-${end}`
  const whole = start === 0 && end === Infinity
  const parsed = parseRegion(whole ? reference : `${reference}:${range}`, 'regions[0]')
  if (parsed === 'unmapped') throw new Error('a place became the unmapped reads')
  return parsed
}

/** Makes the block directory of a file as an import does. */
export async function makeDirectory(
  given: string | AlignmentPaths,
  directoryPath: string,
  extentBytes = 1 << 20,
) {
  const paths = typeof given === 'string' ? { path: given } : given
  const { blob, header, identity } = await openAlignment(localAlignment(paths), inlineExecutor)
  try {
    const directory = await buildDirectory(blob, header, inlineExecutor, { extentBytes })
    await saveDirectory(directoryPath, directory, identity)
    return directory
  } finally {
    await blob.close()
  }
}

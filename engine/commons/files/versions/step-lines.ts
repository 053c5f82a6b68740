import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { lowerBound } from '../../../shared/arrays/lower-bound.ts'
import { EngineError } from '../../../shared/errors.ts'
import { type StepArrays, VERSIONS_NAME } from '../../release/layout.ts'
import type { VersionStep } from './step.ts'
import { damagedLine, hashOfId } from './step-index.ts'

/** History file of a release and its index, as plain data in shared memory for jobs. */
export interface StepsHandle {
  readonly descriptor: number
  readonly arrays: StepArrays
}

const LF = 0x0a
const CR = 0x0d

/** Maximum number of files that one file can replace. A higher number is an error in the data. */
const MAX_BEFORE = 1000

/** Hashes of ids, ascending, with the line of each. */
interface Hashes {
  readonly hashes: Uint32Array | undefined
  readonly lines: Uint32Array | undefined
}

const NONE: Uint32Array = new Uint32Array(0)

/** Finds lines of a history file by binary search, without reading the others. For use in a single job. */
export class StepLines {
  readonly #handle: StepsHandle | undefined
  readonly #steps = new Map<string, VersionStep | undefined>()
  readonly #before = new Map<string, readonly VersionStep[]>()

  /** @param handle undefined if the release has no replaced files */
  constructor(handle: StepsHandle | undefined) {
    this.#handle = handle
  }

  /** Returns the step in which a file was replaced. The id must be in lower case. */
  step(id: string): VersionStep | undefined {
    if (this.#steps.has(id)) return this.#steps.get(id)
    const { idHashes: hashes, idLines: lines } = this.#handle?.arrays ?? {}
    const [found] = this.#matching(id, { hashes, lines }, (step) => step.id)
    this.#steps.set(id, found)
    return found
  }

  /** Returns the steps in which this file replaced other files, ordered by the ids of the replaced files. */
  before(id: string): readonly VersionStep[] {
    const known = this.#before.get(id)
    if (known) return known
    const { nextHashes: hashes, nextLines: lines } = this.#handle?.arrays ?? {}
    const found: VersionStep[] = []
    for (const step of this.#matching(id, { hashes, lines }, ({ next }) => next?.id)) {
      found.push(step)
      if (found.length === MAX_BEFORE) break
    }
    this.#before.set(id, found)
    return found
  }

  *#matching(
    id: string,
    { hashes = NONE, lines = NONE }: Partial<Hashes>,
    idOf: (step: VersionStep) => string | undefined,
  ): Generator<VersionStep> {
    const hash = hashOfId(id)
    for (let i = lowerBound(hashes, hash); hashes[i] === hash; i++) {
      const step = this.#read(lines[i]!)
      if (idOf(step)?.toLowerCase() === id) yield step
    }
  }

  #read(line: number): VersionStep {
    const { descriptor, arrays } = this.#handle as StepsHandle
    const start = arrays.starts[line]!
    const bytes = Buffer.allocUnsafe(arrays.starts[line + 1]! - start)
    for (let filled = 0; filled < bytes.length; ) {
      const read = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled)
      if (read === 0) {
        throw new EngineError(
          'corrupt_source',
          "the release's history is cut off; import the release again",
          { at: VERSIONS_NAME },
        )
      }
      filled += read
    }
    const text = withoutLineBreak(bytes)
    if (crc32(text) !== arrays.checksums[line]) throw damagedLine(line)
    return JSON.parse(text.toString('utf8')) as VersionStep
  }
}

/** Removes the line break, which the last line may lack. */
function withoutLineBreak(bytes: Buffer): Buffer {
  let end = bytes.length
  if (bytes[end - 1] === LF) end--
  if (bytes[end - 1] === CR) end--
  return bytes.subarray(0, end)
}

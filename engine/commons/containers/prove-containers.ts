import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { openFile } from '../../shared/blobs/folder-store.ts'
import { damage } from '../../shared/blobs/source.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import {
  CRAM_END,
  type CraiLine,
  checkDefinition,
  DEFINITION_BYTES,
  SEVERAL_REFERENCES,
  writeCrai,
} from '../../shared/formats/cram.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { shellWord } from '../../shared/input/shell-word.ts'
import { craiFault } from './crai.ts'
import { decodeSlicesJob, ORDER, outOfOrder } from './decode-slices.ts'
import { sampledCraiFault } from './sample-containers.ts'
import { HEADER_WINDOW, SLICE_COLUMNS, walkContainersJob } from './walk-containers.ts'

interface ContainerProof {
  readonly format: 'CRAM'
  readonly records: number
  readonly directory: undefined
  readonly indexPath: string
  /** Fault of the imported index, if any. */
  readonly fault: string | undefined
}

export interface ContainerRun {
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  readonly priority?: number
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Compressed bytes per job. A job takes a few milliseconds. */
const WALK_BYTES = 8 << 20

interface GivenContainers {
  readonly path: string
  /** Path of an index imported along with the file. */
  readonly indexPath?: string | undefined
  /** Path at which to write the new index. */
  readonly madePath: string
}

/**
 * Validates the containers of a CRAM file and builds its index from slice headers. Only slices with several
 * references are decoded, and no reference sequence is needed.
 * @throws EngineError bad_input if it is not CRAM 3 or not sorted, corrupt_source; each names the file
 */
export async function proveContainers(
  { path, indexPath, madePath }: GivenContainers,
  run: ContainerRun,
): Promise<ContainerProof> {
  const name = JSON.stringify(basename(path))
  const blob = await openFile(path)
  try {
    const { lines, records } = await slicesOf(blob, run)
    const fault = indexPath === undefined ? undefined : await craiFault(indexPath, lines)
    await writeFile(madePath, writeCrai(lines, blob.identity.size - CRAM_END.length))
    return { format: 'CRAM', records, directory: undefined, indexPath: madePath, fault }
  } catch (error) {
    throw explainContainers(error, name, path)
  } finally {
    await blob.close()
  }
}

function explainContainers(error: unknown, name: string, path: string): unknown {
  if (!(error instanceof EngineError)) return error
  const say = (message: string) => new EngineError(error.code, message, { cause: error })
  if (error.code === 'corrupt_source') {
    return say(`${name} is damaged or cut off: ${error.message}; copy it again from its source`)
  }
  if (error.at === ORDER) {
    const sorted = shellWord(path.replace(/(\.cram)?$/i, '.sorted.cram'))
    return say(
      `${name}: ${error.message}; sort it: samtools sort -O cram -o ${sorted} ${shellWord(path)}`,
    )
  }
  return error.code === 'bad_input' ? say(`${name}: ${error.message}`) : error
}

interface Slices {
  /** One line per slice and reference, as in `samtools index`. */
  readonly lines: readonly CraiLine[]
  readonly records: number
}

/**
 * Reads a whole CRAM file and lists the contents of its slices.
 * @throws EngineError bad_input if it is not CRAM 3 or not sorted, corrupt_source
 */
export async function slicesOf(blob: OpenBlob, run: ContainerRun): Promise<Slices> {
  await requireCram(blob)
  const { lines, records } = await walkAll(blob, run, true)
  return { lines: await decoded(blob, lines, run), records }
}

/** Replaces each line of a slice with several references by one line per reference. */
async function decoded(
  blob: OpenBlob,
  lines: readonly CraiLine[],
  { executor, ...options }: ContainerRun,
): Promise<readonly CraiLine[]> {
  const all: CraiLine[] = []
  for (let i = 0; i < lines.length; ) {
    const { container, reference } = lines[i]!
    if (reference !== SEVERAL_REFERENCES) {
      all.push(lines[i++]!)
      continue
    }
    const slices: CraiLine[] = []
    while (lines[i]?.container === container && lines[i]?.reference === SEVERAL_REFERENCES) {
      slices.push(lines[i++]!)
    }
    const { landmark, bytes } = slices.at(-1)!
    const reads = { start: container, end: container + HEADER_WINDOW + landmark + bytes }
    const input = { container, slices }
    all.push(...(await blob.run(executor, decodeSlicesJob, input, { ...options, reads })))
  }
  return all
}

async function requireCram(blob: OpenBlob): Promise<void> {
  const { size } = blob.identity
  const start = Buffer.alloc(DEFINITION_BYTES)
  const end = Buffer.alloc(CRAM_END.length)
  try {
    checkDefinition(start.subarray(0, await blob.read(start, 0)))
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('bad_input', `${cause.message}; give CRAM 3`, { cause })
  }
  await blob.read(end, Math.max(0, size - end.length))
  if (!end.equals(CRAM_END)) throw damage('file has no end marker; it ends', size)
}

async function walkAll(
  blob: OpenBlob,
  { executor, onProgress, ...options }: ContainerRun,
  isProof: boolean,
): Promise<Slices> {
  const last = blob.identity.size - CRAM_END.length
  const lines: CraiLine[] = []
  let [lastReference, lastStart] = [SEVERAL_REFERENCES, 0]
  let records = 0
  for (let at = DEFINITION_BYTES; at < last; ) {
    const end = Math.min(at + WALK_BYTES, last)
    const reads = { start: at, end: end + WALK_BYTES }
    const input = { start: at, end, isProof }
    const walked = await blob.run(executor, walkContainersJob, input, { ...options, reads })
    for (const [i, reference] of walked.references.entries()) {
      const start = walked.starts[i]!
      if (reference < 0) continue
      if (reference === lastReference && start < lastStart) throw outOfOrder()
      ;[lastReference, lastStart] = [reference, start]
    }
    lines.push(...linesIn(walked.slices))
    records += walked.records
    at = walked.next
    if (at > last) throw damage('container reaches over the end', at)
    onProgress?.(at)
  }
  if (last <= DEFINITION_BYTES) throw damage('file has no header', DEFINITION_BYTES)
  return { lines, records }
}

function* linesIn(rows: Float64Array): Generator<CraiLine> {
  for (let at = 0; at < rows.length; at += SLICE_COLUMNS) {
    const [reference = 0, start = 0, span = 0] = rows.subarray(at, at + 3)
    const [container = 0, landmark = 0, bytes = 0] = rows.subarray(at + 3, at + SLICE_COLUMNS)
    yield { reference, start, span, container, landmark, bytes }
  }
}

/**
 * Returns the fault of a stored CRAM file's index. Unless `isDeep` is set, it only looks at slice headers. In
 * object storage, where each header is a request, it then only looks at some of the containers.
 * @throws EngineError corrupt_source
 */
export async function storedCraiFault(
  blob: OpenBlob,
  indexPath: string,
  run: ContainerRun & { readonly isDeep: boolean },
): Promise<string | undefined> {
  const { isDeep, ...given } = run
  if (!isDeep && !blob.isLocal) return sampledCraiFault(blob, indexPath, run.signal)
  const { lines } = isDeep ? await slicesOf(blob, given) : await walkAll(blob, given, false)
  return craiFault(indexPath, lines)
}

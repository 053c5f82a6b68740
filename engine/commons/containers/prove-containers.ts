import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { openFile } from '../../shared/blobs/folder-store.ts'
import { damage } from '../../shared/blobs/source.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { isGzip } from '../../shared/formats/byte-source.ts'
import {
  CRAM_END,
  type CraiLine,
  checkDefinition,
  DEFINITION_BYTES,
  parseCrai,
} from '../../shared/formats/cram.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { quoted } from '../slicing/explain-file.ts'
import { walkContainersJob } from './walk-containers.ts'

export interface ContainerProof {
  readonly format: 'CRAM'
  readonly records: number
  readonly directory: undefined
  readonly indexPath: string
  readonly warnings: readonly string[]
}

export interface ContainerRun {
  readonly executor: Executor
  readonly signal: AbortSignal
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Compressed bytes per job: some milliseconds. */
const WALK_BYTES = 8 << 20

/**
 * Proves the containers of a CRAM file without decoding them, and that its index names each of them.
 * Whether the records in them are sorted is not looked at: the index says what is in which.
 * @throws EngineError bad_input when it is no CRAM 3, corrupt_source, no_index; each names the file
 */
export async function proveContainers(
  { path, indexPath }: { readonly path: string; readonly indexPath?: string | undefined },
  run: ContainerRun,
): Promise<ContainerProof> {
  const name = JSON.stringify(basename(path))
  if (indexPath === undefined) {
    const message = `${name} has no index beside it; make one: samtools index ${quoted(path)}`
    throw new EngineError('no_index', message)
  }
  const blob = await openFile(path)
  try {
    await mustBeCram(blob, name)
    const { containers, records } = await walkAll(blob, run)
    const lines = await readCrai(indexPath)
    // The first container is the header's.
    if (!areNamed(containers.slice(1), lines)) {
      const message = `index of ${name} does not belong to it; make one: samtools index ${quoted(path)}`
      throw new EngineError('no_index', message)
    }
    return { format: 'CRAM', records, directory: undefined, indexPath, warnings: [] }
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'corrupt_source') throw error
    const message = `${name} is damaged or cut off: ${error.message}; copy it again from its source`
    throw new EngineError('corrupt_source', message, { cause: error })
  } finally {
    await blob.close()
  }
}

/**
 * Whether an index has all containers and no others, each where its records are. What the records of several
 * references cover is not in their container's header.
 */
function areNamed(containers: readonly Container[], lines: readonly CraiLine[]): boolean {
  const named = new Map<number, CraiLine[]>()
  for (const line of lines) {
    const others = named.get(line.container)
    if (others) others.push(line)
    else named.set(line.container, [line])
  }
  return (
    named.size === containers.length &&
    containers.every((container) => isNamedBy(container, named.get(container.offset) ?? []))
  )
}

function isNamedBy(container: Container, lines: readonly CraiLine[]): boolean {
  const { reference, start, span } = container
  if (reference === SEVERAL) return lines.length > 0
  if (lines.length === 0 || lines.some((line) => line.reference !== reference)) return false
  if (reference < 0) return true
  const first = Math.min(...lines.map((line) => line.start))
  const end = Math.max(...lines.map((line) => line.start + line.span))
  return first <= start && end >= start + span
}

/** What a container's header has for a reference where its records are of several. */
const SEVERAL = -2

interface Container {
  readonly offset: number
  readonly reference: number
  readonly start: number
  readonly span: number
}

async function mustBeCram(blob: OpenBlob, name: string): Promise<void> {
  const { size } = blob.identity
  const start = Buffer.alloc(DEFINITION_BYTES)
  const end = Buffer.alloc(CRAM_END.length)
  try {
    checkDefinition(start.subarray(0, await blob.read(start, 0)))
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('bad_input', `${name}: ${cause.message}; give CRAM 3`, { cause })
  }
  await blob.read(end, Math.max(0, size - end.length))
  if (!end.equals(CRAM_END)) throw damage('file has no end marker; it ends', size)
}

async function walkAll(blob: OpenBlob, { executor, signal, onProgress }: ContainerRun) {
  const last = blob.identity.size - CRAM_END.length
  const containers: Container[] = []
  let records = 0
  for (let at = DEFINITION_BYTES; at < last; ) {
    const end = Math.min(at + WALK_BYTES, last)
    const reads = { start: at, end: end + WALK_BYTES }
    const walked = await blob.run(
      executor,
      walkContainersJob,
      { start: at, end },
      { signal, reads },
    )
    for (const [i, offset] of walked.offsets.entries()) {
      const [reference = -1, start = 0, span = 0] = [
        walked.references[i],
        walked.starts[i],
        walked.spans[i],
      ]
      containers.push({ offset, reference, start, span })
    }
    records += walked.records
    at = walked.next
    if (at > last) throw damage('container reaches over the end', at)
    onProgress?.(at)
  }
  if (containers.length === 0) throw damage('file has no header', DEFINITION_BYTES)
  return { containers, records }
}

/** Text of this length is some millions of containers. */
const MAX_CRAI_BYTES = 256 << 20

/** @throws EngineError no_index when it is no CRAI */
export async function readCrai(path: string): Promise<CraiLine[]> {
  return craiOf(await readFile(path))
}

/** @throws EngineError no_index when it is no CRAI */
export function craiOf(bytes: Buffer): CraiLine[] {
  try {
    const text = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_CRAI_BYTES }) : bytes
    return parseCrai(text.toString())
  } catch (cause) {
    throw new EngineError('no_index', 'index file cannot be used; index the file again', { cause })
  }
}

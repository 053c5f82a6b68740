import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { shellWord } from '../../shared/input/shell-word.ts'
import { explainSystemError } from '../../shared/input/system-error.ts'
import { type FileKind, KIND_BYTES, kindOf } from './file-kind.ts'
import { RECORD } from './scan.ts'

/** Marks errors (in `at`) about the header. */
export const HEADER = 'header'

/** Advice for files that htslib does not read. */
export const ANEW =
  'htslib does not read it either, so have the program that wrote the file write it anew'

/** Marks errors (in `at`) about a missing end marker. */
export const NO_MARKER = 'end'
/** Marks errors (in `at`) about a position that comes from an index. */
export const BY_INDEX = 'index'
/** Value of an error's `at` that marks an index as missing or unfit for a file that a BAI cannot index. */
export const BEYOND_BAI = 'beyond BAI'

/** Returns the part of a message about a file that may be cut off, or whose writer left out its end marker. */
export function unmarked(what: string, command: string): string {
  return `may be cut off: ${what}; copy it again from its source; if it has none there either, write it anew: ${command}`
}

/** Returns the part of a message about a place that cannot be read and that only an index names. */
export function foreignIndex(what: string, command: string): string {
  return `cannot be read where its index says: ${what}; make the index anew: ${command}; if that fails too, the file is damaged: copy it again from its source`
}

/**
 * Converts an error about an alignment file given by path to one that names the file, its actual format and
 * the remedy. Returns other errors unchanged.
 */
export async function explainError(
  error: unknown,
  path: string,
  indexPath?: string,
): Promise<unknown> {
  if (!(error instanceof EngineError)) return error
  if (error.code === 'unavailable') return (await explainAbsence(path)) ?? error
  const { code } = error
  const name = JSON.stringify(basename(path))
  if (code === 'too_large') {
    return new EngineError(code, `${name}: ${error.message}`, { cause: error })
  }
  if (code !== 'bad_input' && code !== 'corrupt_source' && code !== 'no_index') return error
  const kind = kindOf(await beginningOf(path))
  if (kind) {
    const message = `${name} is ${kind}, not BAM; ${adviceFor(kind, path)}`
    return new EngineError('bad_input', message, { cause: error })
  }
  if (code === 'no_index') {
    const command = indexing(path, error.at === BEYOND_BAI, indexPath)
    const message = `${name}: ${error.message}; make one: ${command}`
    return new EngineError('no_index', message, { cause: error })
  }
  // The file is a BAM, so a `bad_input` error is about something else in the request.
  if (error.code === 'bad_input') return error
  if (error.at === HEADER) {
    return new EngineError(error.code, `${name}: ${error.message}; ${ANEW}`, { cause: error })
  }
  if (error.at === RECORD) {
    const command = `samtools view ${shellWord(path)} | tail -n 1`
    const message = `${name}: ${error.message}; ${ANEW}: the record before it is the last that this prints: ${command}`
    return new EngineError(error.code, message, { cause: error })
  }
  if (error.at === NO_MARKER) {
    const anew = `samtools view -b -o ${shellWord(besideOf(path, '.whole.bam'))} ${shellWord(path)}`
    const message = `${name} ${unmarked(error.message, anew)}`
    return new EngineError(error.code, message, { cause: error })
  }
  if (error.at === BY_INDEX) {
    const command = indexing(path, false, indexPath)
    const message = `${name} ${foreignIndex(error.message, command)}`
    return new EngineError(error.code, message, { cause: error })
  }
  const message = `${name} is damaged or cut off: ${error.message}; copy it again from its source`
  return new EngineError(error.code, message, { cause: error })
}

/** @param given an existing index: a BAI would be found before the CSI */
function indexing(path: string, isBeyondBai: boolean, given: string | undefined): string {
  if (!isBeyondBai) return `samtools index ${shellWord(path)}`
  const cleared =
    given !== undefined && /\.bai$/i.test(given) ? `rm -f ${shellWord(given)} && ` : ''
  return `${cleared}samtools index -c ${shellWord(path)}`
}

/** Creates the error for a file that is not in coordinate order. */
export function explainOrder(cause: EngineError, path: string): EngineError {
  const name = JSON.stringify(basename(path))
  const message = `${name} is not in coordinate order; sort it: ${sorting(path)}`
  return new EngineError(cause.code, message, { cause })
}

/** Returns an error if the file does not exist or may not be read, otherwise undefined. */
export async function explainAbsence(path: string): Promise<EngineError | undefined> {
  try {
    if ((await stat(path)).isFile()) await (await open(path)).close()
    return undefined
  } catch (cause) {
    const explained = explainSystemError(cause, path)
    return explained instanceof EngineError ? explained : undefined
  }
}

export async function beginningOf(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const start = Buffer.alloc(KIND_BYTES)
    const { bytesRead } = await file.read(start, 0, start.length, 0)
    return start.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Kinds of files that samtools can read and sort into BAM. */
const READABLE: ReadonlySet<FileKind> = new Set([
  'SAM',
  'gzipped SAM',
  'gzip, but not BGZF',
  'BAM without its compression',
])

function adviceFor(kind: FileKind, path: string): string {
  if (kind === 'empty') return 'copy it again from its source'
  if (kind === 'CRAM') return `make BAM of it: ${sorting(path, '--reference REFERENCE.fa ')}`
  if (READABLE.has(kind)) return `make BAM of it: ${sorting(path)}`
  return 'give an alignment file that is sorted by coordinate'
}

/** Returns the command that writes a sorted BAM beside the file. */
function sorting(path: string, options = ''): string {
  const beside = besideOf(path, '.bam')
  // A file of another kind may also be named .bam. The command must not overwrite it.
  const output =
    beside.toLowerCase() === path.toLowerCase() ? besideOf(path, '.sorted.bam') : beside
  return `samtools sort ${options}-o ${shellWord(output)} ${shellWord(path)}`
}

/** Returns the path with another file name extension. */
function besideOf(path: string, ending: string): string {
  return `${path.replace(/(\.(bam|cram|gz|sam|txt))+$/i, '')}${ending}`
}

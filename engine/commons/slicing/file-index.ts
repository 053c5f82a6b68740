import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { type BinIndex, isSameIndex, parseIndex } from '../../shared/formats/bam-index.ts'
import { type Alignment, givenIndex } from './alignment.ts'
import type { Directory } from './directory.ts'
import { inflatedIndex } from './index-file.ts'
import { indexFault } from './index-fits.ts'
import { type FileIndex, indexOfFile } from './slice-index.ts'

export interface MadeIndex extends FileIndex {
  /** Fault of the index that was given with the file. */
  readonly fault: string | undefined
}

/**
 * Builds the index of a file after a pass over it, and reports how the given index differs. The given index may
 * belong to an earlier file of the same name, whatever its date.
 */
export async function makeFileIndex(
  alignment: Alignment,
  directory: Directory,
  executor: Executor,
): Promise<MadeIndex> {
  const { header, parts } = alignment
  let given: BinIndex | undefined
  let fault: string | undefined
  try {
    given = await givenIndex(alignment, executor)
    fault = given && (await faultOf(given, directory, alignment))
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'no_index') throw error
    fault = 'it cannot be read as an index'
  }
  const isNamedCsi = typeof parts.indexPath === 'string' && /\.csi$/i.test(parts.indexPath)
  const isCsi = given ? given.binFloor !== undefined : isNamedCsi
  const brought = parts.indexPath === undefined ? undefined : { isCsi, names: namesIn(given) }
  return { ...(await indexOfFile(header, directory, brought)), fault }
}

const namesIn = (index: BinIndex | undefined) => index?.lines?.names.length ?? 0

async function faultOf(
  index: BinIndex,
  directory: Directory,
  { header: { format, names } }: Alignment,
): Promise<string | undefined> {
  if ((format.kind === 'lines') !== (index.lines !== undefined)) {
    return `it is ${index.lines ? '' : 'not '}one of lines`
  }
  const isNamed = index.lines !== undefined && index.referenceCount > names.length
  if (isNamed) return `it is of ${index.referenceCount} references; the file has ${names.length}`
  return indexFault(index, directory, names)
}

/**
 * Compares the index of a stored file with its block directory and returns the fault of the index. An index
 * imported by an earlier version is checked as far as the directory permits. Any other must equal the index
 * built from the directory.
 * @throws EngineError no_index if the index is missing or unreadable
 */
export async function storedIndexFault(
  alignment: Alignment,
  executor: Executor,
): Promise<string | undefined> {
  const { directory, header } = alignment
  const index = await givenIndex(alignment, executor)
  if (!index || !directory) return undefined
  const fault = await faultOf(index, directory, alignment)
  if (fault !== undefined || !directory.runRecords) return fault
  const brought = { isCsi: index.binFloor !== undefined, names: namesIn(index) }
  const { bytes } = await indexOfFile(header, directory, brought)
  const made = parseIndex(inflatedIndex(bytes))
  return isSameIndex(index, made) ? undefined : 'it has other bins than are made of the file'
}

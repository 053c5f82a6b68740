import { type FileHandle, open } from 'node:fs/promises'
import { readArrays, writeArrays } from '../../../shared/arrays/array-file.ts'
import { type ArraySchema, type ArraysOf, typedFacts } from '../../../shared/arrays/array-schema.ts'
import { type BlobKey, blobKey } from '../../../shared/blobs/blob-key.ts'
import type { FolderStore } from '../../../shared/blobs/folder-store.ts'
import { type FileIdentity, IDENTITY_FACTS } from '../../../shared/blobs/identity.ts'
import { descriptorShortage } from '../../../shared/descriptors.ts'
import { EngineError, type ErrorCode } from '../../../shared/errors.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'
import type { AnnotationFacts } from './annotations.ts'
import type { BlockList } from './block-file.ts'
import { GENE_NAMES, type GeneNames } from './gene-names.ts'
import { EXTENT_CELLS } from './number-block.ts'

// Copies of an HDF5 file's values, sorted by gene. `genes.numbers` consists of blocks. `genes.directory` has
// their locations and checksums, and the state of the HDF5 file.

export const GENE_NUMBERS = 'genes.numbers'
export const GENE_DIRECTORY = 'genes.directory'

/** Content of `genes.directory`; GENE_DIRECTORY describes the encoding. */
export interface GeneDirectory extends GeneNames {
  readonly cells: number
  /** Blocks of values, one per gene and range of cells. A block of length 0 stands for zeros only. */
  readonly numbers: BlockList
  /** Blocks of cell names, one for each range of cells (see packNames). */
  readonly cellNames: BlockList
  /** Annotations of the cells. Undefined in directories written by earlier versions. */
  readonly annotations?: StoredAnnotations | undefined
}

/** Error that is stored in place of data, and thrown when the data is requested. */
export interface StoredError {
  readonly code: ErrorCode
  readonly message: string
  readonly at?: string | undefined
}

export type StoredAnnotation = AnnotationFacts &
  ({ readonly values: readonly string[] } | { readonly error: StoredError })

export interface StoredAnnotations {
  readonly list: readonly StoredAnnotation[]
  /** Error to return if the annotations could not be read. Undefined if they were read. */
  readonly error?: StoredError | undefined
  /**
   * Blocks of annotation values, one for each annotation and range of cells. A block has one byte per cell: the
   * index of its value.
   */
  readonly codes: BlockList
}

export interface GenePaths {
  readonly numbers: string
  readonly directory: string
}

/** Returns the paths of a single-cell file's copy in gene order: its numbers and their directory. */
export function genePaths(folder: FolderStore, id: string): GenePaths {
  const keys = geneKeys(id)
  return { numbers: folder.path(keys.numbers), directory: folder.path(keys.directory) }
}

function geneKeys(id: string): { readonly numbers: BlobKey; readonly directory: BlobKey } {
  return { numbers: blobKey(id, GENE_NUMBERS), directory: blobKey(id, GENE_DIRECTORY) }
}

/** Renames the completed file of values to its final name, then the directory that refers to it. */
export async function placeGenes(folder: FolderStore, id: string, parts: GenePaths): Promise<void> {
  const keys = geneKeys(id)
  await folder.takeAll([{ key: keys.numbers, path: parts.numbers }])
  await folder.takeAll([{ key: keys.directory, path: parts.directory }])
}

export const extentsOf = (cells: number) => Math.ceil(cells / EXTENT_CELLS)

/** Writes a directory with the state of its HDF5 file. The file gets its name when it is complete. */
export async function saveGeneDirectory(
  path: string,
  { cells, numbers, cellNames, annotations, ...genes }: GeneDirectory,
  { size, modified, inode }: FileIdentity,
): Promise<void> {
  const named: Named | undefined = annotations && {
    list: annotations.list,
    error: annotations.error,
  }
  await writeArrays(
    path,
    { size, modified, inode, cells },
    {
      names: genes.names,
      nameEnds: genes.nameEnds,
      exactOrder: genes.exactOrder,
      looseOrder: genes.looseOrder,
      numbersOffset: numbers.offset,
      numbersLength: numbers.length,
      numbersChecksum: numbers.checksum,
      cellNamesOffset: cellNames.offset,
      cellNamesLength: cellNames.length,
      cellNamesChecksum: cellNames.checksum,
      ...(annotations && {
        annotations: new Uint8Array(Buffer.from(JSON.stringify(named))),
        codesOffset: annotations.codes.offset,
        codesLength: annotations.codes.length,
        codesChecksum: annotations.codes.checksum,
      }),
    },
  )
}

const ARRAYS = {
  ...GENE_NAMES,
  numbersOffset: ['Float64Array'],
  numbersLength: ['Uint32Array'],
  numbersChecksum: ['Uint32Array'],
  cellNamesOffset: ['Float64Array'],
  cellNamesLength: ['Uint32Array'],
  cellNamesChecksum: ['Uint32Array'],
  annotations: ['Uint8Array', 'absent'],
  codesOffset: ['Float64Array', 'absent'],
  codesLength: ['Uint32Array', 'absent'],
  codesChecksum: ['Uint32Array', 'absent'],
} as const satisfies ArraySchema

/**
 * Reads a directory. Returns undefined if there is none.
 * @throws EngineError corrupt_source if it is damaged
 */
export async function loadGeneDirectory(
  path: string,
): Promise<
  | { readonly directory: GeneDirectory; readonly identity: FileIdentity; readonly bytes: number }
  | undefined
> {
  const read = await unlessAbsent(readArrays(path, ARRAYS))
  if (!read) return undefined
  const { arrays } = read
  const { cells, ...identity } = typedFacts(read.facts, { ...IDENTITY_FACTS, cells: 'number' })
  const { names, nameEnds, exactOrder, looseOrder } = arrays
  const numbers: BlockList = {
    offset: arrays.numbersOffset,
    length: arrays.numbersLength,
    checksum: arrays.numbersChecksum,
  }
  const cellNames: BlockList = {
    offset: arrays.cellNamesOffset,
    length: arrays.cellNamesLength,
    checksum: arrays.cellNamesChecksum,
  }
  const annotations = annotationsOf(arrays)
  const bytes = Object.values(arrays).reduce((sum, { byteLength }) => sum + byteLength, 0)
  return {
    directory: { names, nameEnds, exactOrder, looseOrder, cells, numbers, cellNames, annotations },
    identity,
    bytes,
  }
}

function annotationsOf({
  annotations,
  codesOffset: offset,
  codesLength: length,
  codesChecksum: checksum,
}: ArraysOf<typeof ARRAYS>): StoredAnnotations | undefined {
  if (!annotations || !offset || !length || !checksum) return undefined
  const named = JSON.parse(Buffer.from(annotations).toString()) as Named
  return { ...named, codes: { offset, length, checksum } }
}

/** The annotations without their blocks, which is stored as JSON. */
type Named = Omit<StoredAnnotations, 'codes'>

/**
 * Updates the state of the HDF5 file in a directory that was written before that file was in place.
 * @throws EngineError `unavailable` if the directory has been removed since
 */
export async function stampGeneDirectory(path: string, identity: FileIdentity): Promise<void> {
  const loaded = await loadGeneDirectory(path)
  if (!loaded) throw new EngineError('unavailable', 'the directory of genes is not there any more')
  await saveGeneDirectory(path, loaded.directory, identity)
}

/** Opens the file with values sorted by gene. Returns undefined if there is none. */
export async function openGeneNumbers(path: string): Promise<FileHandle | undefined> {
  return unlessAbsent(open(path, 'r')).catch((cause: unknown) => {
    const message = 'the numbers of genes cannot be opened'
    throw descriptorShortage(cause) ?? new EngineError('unavailable', message, { cause })
  })
}

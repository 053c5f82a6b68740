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

// The numbers of an HDF5 file once more, gene by gene: `genes.numbers` holds blocks and nothing else,
// `genes.directory` says where each is, what it must be, and of which state of the HDF5 file.

export const GENE_NUMBERS = 'genes.numbers'
export const GENE_DIRECTORY = 'genes.directory'

/** What is known of the numbers of all genes; see GENE_DIRECTORY. */
export interface GeneDirectory extends GeneNames {
  readonly cells: number
  /** Of each gene a block for each extent of cells; one without bytes is all zeros. */
  readonly numbers: BlockList
  /** Names of the cells, for each extent of them (see packNames). */
  readonly cellNames: BlockList
  /** What the file says of its cells besides; absent in directories of former versions. */
  readonly annotations?: StoredAnnotations | undefined
}

/** Why something is not stored: the error that whoever asks for it gets. */
export interface StoredError {
  readonly code: ErrorCode
  readonly message: string
  readonly at?: string | undefined
}

export type StoredAnnotation = AnnotationFacts &
  ({ readonly values: readonly string[] } | { readonly error: StoredError })

export interface StoredAnnotations {
  readonly list: readonly StoredAnnotation[]
  /** Where none of them could be read. */
  readonly error?: StoredError | undefined
  /** Of each a block for each extent of cells, a byte for each cell: which of the values it has. */
  readonly codes: BlockList
}

export interface GenePaths {
  readonly numbers: string
  readonly directory: string
}

export function genePaths(folder: FolderStore, id: string): GenePaths {
  const keys = geneKeys(id)
  return { numbers: folder.path(keys.numbers), directory: folder.path(keys.directory) }
}

export function geneKeys(id: string): { readonly numbers: BlobKey; readonly directory: BlobKey } {
  return { numbers: blobKey(id, GENE_NUMBERS), directory: blobKey(id, GENE_DIRECTORY) }
}

/** Puts both files in their places, complete as they are; the directory last, which speaks of both. */
export async function placeGenes(folder: FolderStore, id: string, parts: GenePaths): Promise<void> {
  const keys = geneKeys(id)
  await folder.takeAll([{ key: keys.numbers, path: parts.numbers }])
  await folder.takeAll([{ key: keys.directory, path: parts.directory }])
}

export const extentsOf = (cells: number) => Math.ceil(cells / EXTENT_CELLS)

/** Writes a directory, which appears when it is complete; of which state of its file it is. */
export async function saveGeneDirectory(
  path: string,
  { cells, numbers, cellNames, annotations, ...genes }: GeneDirectory,
  { size, modified, inode }: FileIdentity,
): Promise<void> {
  const named: Named | undefined = annotations && {
    ...{ list: annotations.list, error: annotations.error },
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
 * Reads a directory back; `undefined` when there is none.
 * @throws EngineError corrupt_source when it is damaged
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

/** What of them is JSON. */
type Named = Omit<StoredAnnotations, 'codes'>

/** Says that a directory, made before its file was in its place, is of this state of it. */
export async function stampGeneDirectory(path: string, identity: FileIdentity): Promise<void> {
  const loaded = await loadGeneDirectory(path)
  if (!loaded) throw new EngineError('unavailable', 'the directory of genes is not there any more')
  await saveGeneDirectory(path, loaded.directory, identity)
}

/** The numbers, open for reading; `undefined` when they are not there. */
export async function openGeneNumbers(path: string): Promise<FileHandle | undefined> {
  return unlessAbsent(open(path, 'r')).catch((cause: unknown) => {
    const message = 'the numbers of genes cannot be opened'
    throw descriptorShortage(cause) ?? new EngineError('unavailable', message, { cause })
  })
}

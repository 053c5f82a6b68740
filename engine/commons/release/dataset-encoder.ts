import { free } from '../../shared/arrays/growing.ts'
import {
  type BitmapLimits,
  type ColumnEncoder,
  columnEncoder,
  type EncodedColumn,
  type FinishedColumn,
  type LevelShape,
  NO_BITMAPS,
} from './column-encoder.ts'
import { capturedText } from './document-scanner.ts'
import { type Captured, TreeNode } from './document-tree.ts'
import { IdentityEncoder } from './identity-encoder.ts'
import {
  bitmapsKey,
  type ColumnLayout,
  columnKey,
  type DatasetLayout,
  IN_DOCUMENTS,
  indexKey,
  type LevelArrays,
  type LevelLayout,
  levelKey,
} from './layout.ts'
import { LevelEncoder, rowsOf } from './level-encoder.ts'
import { foreignKey } from './link.ts'
import { isRegularAbove, levelsOf, type Printed, printedOf } from './printed.ts'
import type { LinkSchema, Schema } from './schema.ts'
import { type WrittenFiles, writeArrowKey } from './written-files.ts'

export interface EncodedDataset {
  readonly rows: number
  readonly levels: Readonly<Record<string, LevelLayout>>
  readonly columns: Readonly<Record<string, ColumnLayout>>
  /** Links that some element has, as the number of elements in their level, keyed by their `at` path. */
  readonly links: Readonly<Record<string, number>>
  readonly printed: NonNullable<DatasetLayout['printed']>
  readonly files: Readonly<WrittenFiles>
}

/** Collects the documents of a dataset: ids, levels, fields, and the ids in links. */
export class DatasetEncoder {
  readonly #schema: Schema
  readonly record = new LevelEncoder('')
  readonly tree = new TreeNode()
  readonly #levels: LevelEncoder[] = []
  readonly #ids: IdentityEncoder
  readonly #columns: { path: string; encoder: ColumnEncoder; level: LevelEncoder }[] = []
  readonly #links: { link: LinkSchema; encoder: ColumnEncoder; level: LevelEncoder }[] = []
  readonly #printed: Record<string, NonNullable<DatasetLayout['printed']>[string]> = {}

  constructor(schema: Schema, limits?: BitmapLimits) {
    this.#schema = schema
    const byPath = new Map([['', this.record]])
    for (const { path, parent } of schema.levels) {
      const level = new LevelEncoder(path, byPath.get(parent))
      byPath.set(path, level)
      this.#levels.push(level)
      this.tree.at(path).level = level
    }
    const levelAt = (path: string) => byPath.get(path) ?? this.record
    let idType: Schema['fields'][number]['type'] = 'exact'
    for (const { path, type, level } of schema.fields) {
      if (path === schema.idField) {
        idType = type
        continue
      }
      const column = { path, encoder: columnEncoder(type, limits), level: levelAt(level) }
      this.#columns.push(column)
      this.tree.at(path).sinks.push(column)
    }
    this.#ids = new IdentityEncoder(schema.idField, idType)
    for (const link of schema.links) {
      const entry = {
        link,
        encoder: columnEncoder(link.type, NO_BITMAPS),
        level: levelAt(link.level),
      }
      this.#links.push(entry)
      this.tree.at(link.idAt).sinks.push(entry)
    }
  }

  /** Adds the id of the document just read. */
  addId(id: Captured, bytes: Buffer, line: number): void {
    const { start, end, kind } = id
    if (kind === 1 && isPlain(bytes, start, end)) this.#ids.addPlain(bytes, start, end, line)
    else this.#ids.add(capturedText(id, bytes), line)
  }

  /** Writes all array files below `folder`. The encoder cannot be used afterwards. */
  async write(folder: string, files: WrittenFiles): Promise<Omit<EncodedDataset, 'files'>> {
    const rows = this.record.elements
    const empty = { rows, levels: {}, columns: {}, links: {}, printed: {} }
    if (rows === 0) return empty
    const shapes = new Map<string, LevelShape>([
      ['', { path: '', elements: rows, rowOf: undefined }],
    ])
    const levels = await this.#writeLevels(folder, files, shapes)
    const columns = await this.#writeColumns(folder, files, shapes)
    const links = await this.#writeForeignIds(folder, shapes)
    return { rows, levels, columns, links, printed: this.#printed }
  }

  async #writeLevels(folder: string, files: WrittenFiles, shapes: Map<string, LevelShape>) {
    const levels: Record<string, LevelLayout> = {}
    for (const level of this.#levels) {
      if (level.elements === 0) continue
      const { layout, arrays } = level.finish()
      const key = levelKey(this.#schema.dataset, level.path)
      await writeArrowKey(folder, key, {}, { ...arrays }, files)
      levels[level.path] = layout
      shapes.set(level.path, shapeOf(level, layout, arrays, shapes))
    }
    return levels
  }

  async #writeColumns(folder: string, files: WrittenFiles, shapes: Map<string, LevelShape>) {
    const { dataset, idField } = this.#schema
    const columns: Record<string, ColumnLayout> = {}
    const write = async (path: string, column: EncodedColumn) => {
      const { layout, facts, arrays, bitmaps, index } = column
      columns[path] = layout
      await writeArrowKey(folder, columnKey(dataset, path), facts, arrays, files)
      if (bitmaps) await writeArrowKey(folder, bitmapsKey(dataset, path), {}, { ...bitmaps }, files)
      if (index) await writeArrowKey(folder, indexKey(dataset, path), {}, { ...index }, files)
      for (const array of Object.values({ ...arrays, ...bitmaps, ...index })) free(array)
    }
    const finish = async (path: string, finished: FinishedColumn | undefined) => {
      const printed = this.#print(path, finished)
      if (!finished?.column) return
      await write(path, { ...finished.column, arrays: { ...finished.column.arrays, ...printed } })
    }
    await finish(idField, this.#ids.finish())
    for (const { path, encoder, level } of this.#columns) {
      const shape = shapes.get(level.path)
      await finish(path, shape && encoder.finish(shape))
    }
    return columns
  }

  /** Stores the form that a field has in documents. Returns the arrays that its column needs to restore it. */
  #print(path: string, finished: FinishedColumn | undefined): Printed['arrays'] {
    const { shapes } = this.tree.at(path)
    if (shapes === 0) return {}
    const isRegular = isRegularAbove(this.tree, path, levelsOf(this.#schema))
    const printed = isRegular && finished ? printedOf(shapes, finished.written) : undefined
    this.#printed[path] = printed?.layout ?? IN_DOCUMENTS
    return printed?.arrays ?? {}
  }

  async #writeForeignIds(folder: string, shapes: Map<string, LevelShape>) {
    const links: Record<string, number> = {}
    for (const { link, encoder, level } of this.#links) {
      const shape = shapes.get(level.path)
      if (!shape) continue
      const finished = encoder.finish(shape)
      // A link that is not also a field is printed as the id of the other record.
      if (!Object.hasOwn(this.#printed, link.idAt)) this.#print(link.idAt, finished)
      if (!finished.column) continue
      const { layout, facts, arrays } = finished.column
      const key = foreignKey(this.#schema.dataset, link.at)
      await writeArrowKey(folder, key, { ...facts, layout }, arrays)
      links[link.at] = shape.elements
    }
    return links
  }
}

function shapeOf(
  level: LevelEncoder,
  { oneToOne, elements }: LevelLayout,
  arrays: LevelArrays,
  shapes: ReadonlyMap<string, LevelShape>,
): LevelShape {
  const rowOfParent = shapes.get(level.parent?.path ?? '')?.rowOf
  return { path: level.path, elements, rowOf: rowsOf(arrays, oneToOne, rowOfParent) }
}

/** Returns whether a text is not empty and has neither upper-case letters nor characters beyond ASCII. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a)) return false
  }
  return end > start
}

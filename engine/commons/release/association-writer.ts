import { free } from '../../shared/arrays/growing.ts'
import type { AssociationName, TableName } from '../datasets/define.ts'
import {
  type DatasetLayout,
  type LevelLayout,
  type LinkLayout,
  levelKey,
  linkKey,
} from './layout.ts'
import { levelOf } from './level-encoder.ts'
import { reverse } from './link.ts'
import { type WrittenFiles, writeArrowKey } from './written-files.ts'

interface LinkGiven {
  readonly at: string
  /** Level whose elements have the link. Empty if the record itself has it. */
  readonly level: string
  readonly to: { readonly table: TableName; readonly rows: number }
  /** For each element, the row of the record to which it links plus one, or 0. */
  readonly targets: Uint32Array
}

/** Writes the levels and links of one association. Empty ones are left out. */
export class AssociationWriter {
  readonly #folder: string
  readonly #table: AssociationName
  readonly #rows: number
  readonly #levels: Record<string, LevelLayout> = {}
  readonly #links: Record<string, LinkLayout> = {}
  readonly #files: WrittenFiles

  constructor(folder: string, table: AssociationName, rows: number, files: WrittenFiles) {
    this.#folder = folder
    this.#table = table
    this.#rows = rows
    this.#files = files
  }

  /**
   * Writes a level.
   * @param parents row of each element, ascending; its memory is freed
   */
  async level(path: string, parents: Uint32Array): Promise<void> {
    if (parents.length === 0) return
    const { layout, arrays } = levelOf(parents, '', this.#rows)
    await writeArrowKey(this.#folder, levelKey(this.#table, path), {}, { ...arrays }, this.#files)
    this.#levels[path] = layout
    for (const array of Object.values(arrays)) free(array)
  }

  /** Writes a link. The memory of the targets is freed. */
  async link({ at, level, to, targets }: LinkGiven): Promise<void> {
    if (targets.length === 0) return
    const arrays = { targets, ...reverse(targets, to.rows) }
    await writeArrowKey(this.#folder, linkKey(this.#table, at), {}, arrays, this.#files)
    this.#links[at] = { level, dataset: to.table, dangling: 0 }
    for (const array of Object.values(arrays)) free(array)
  }

  finish(): DatasetLayout {
    return { rows: this.#rows, levels: this.#levels, columns: {}, links: this.#links }
  }
}

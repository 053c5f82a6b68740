import { Dictionary } from './dictionary.ts'
import {
  type BitmapArrays,
  bitmapsKey,
  type ColumnArrays,
  type ColumnLayout,
  columnKey,
  type LevelArrays,
  type LevelLayout,
  type LinkArrays,
  type LinkLayout,
  levelKey,
  linkKey,
} from './layout.ts'
import type { Column, Level, Link, LoadedArrays, ReleaseArrays } from './loaded.ts'

/**
 * Sees what was loaded, in any thread. What the release does not have is `undefined`; what it has
 * and nobody loaded cannot be told from that, so load all that is asked for.
 */
export function arraysOf({ rows, parts }: LoadedArrays): ReleaseArrays {
  // A dictionary is made once per column and not once per question.
  const columns = new Map<string, Column>()
  return {
    rows: (table) => rows[table],
    column(dataset, path) {
      const key = columnKey(dataset, path)
      const known = columns.get(key)
      const part = parts[key]
      if (known || !part) return known
      const layout = part.layout as ColumnLayout
      const arrays = part.arrays as unknown as ColumnArrays
      const dictionary = new Dictionary({ distinct: layout.distinct, facts: part.facts, arrays })
      const bitmaps = parts[bitmapsKey(dataset, path)]?.arrays as BitmapArrays | undefined
      const column = { ...arrays, layout, dictionary, bitmaps: bitmaps?.words }
      columns.set(key, column)
      return column
    },
    level(dataset, path): Level | undefined {
      const part = parts[levelKey(dataset, path)]
      if (!part) return undefined
      return { ...(part.arrays as unknown as LevelArrays), layout: part.layout as LevelLayout }
    },
    link(dataset, at): Link | undefined {
      const part = parts[linkKey(dataset, at)]
      if (!part) return undefined
      return { ...(part.arrays as unknown as LinkArrays), layout: part.layout as LinkLayout }
    },
  }
}

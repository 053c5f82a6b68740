import { Dictionary } from './dictionary.ts'
import { bitmapsKey, columnKey, indexKey, levelKey, linkKey } from './layout.ts'
import {
  type Column,
  type Level,
  type Link,
  type LoadedArrays,
  partOf,
  type ReleaseArrays,
} from './loaded.ts'

/**
 * Returns a view of loaded arrays, in any thread. Arrays that the release lacks are undefined, and so are
 * arrays that were not loaded, so all needed ones must be loaded first.
 */
export function arraysOf({ rows, parts }: LoadedArrays): ReleaseArrays {
  // Dictionaries are created once per column, not once per use.
  const columns = new Map<string, Column>()
  return {
    rows: (table) => rows[table],
    column(dataset, path) {
      const key = columnKey(dataset, path)
      const known = columns.get(key)
      const part = parts[key]
      if (known || !part) return known
      const { layout, facts, arrays } = partOf('column', part)
      const dictionary = new Dictionary({ distinct: layout.distinct, facts, arrays })
      const bitmaps = parts[bitmapsKey(dataset, path)]
      const words = bitmaps && partOf('bitmaps', bitmaps).arrays.words
      const index = parts[indexKey(dataset, path)]
      const rows = index && partOf('index', index).arrays
      const column = { ...arrays, ...rows, layout, dictionary, bitmaps: words }
      columns.set(key, column)
      return column
    },
    level(dataset, path): Level | undefined {
      const part = parts[levelKey(dataset, path)]
      if (!part) return undefined
      const { layout, arrays } = partOf('level', part)
      return { ...arrays, layout }
    },
    link(dataset, at): Link | undefined {
      const part = parts[linkKey(dataset, at)]
      if (!part) return undefined
      const { layout, arrays } = partOf('link', part)
      return { ...arrays, layout }
    },
    members(key) {
      const part = parts[key]
      if (!part) throw new TypeError('the members of a set were not loaded')
      return partOf('members', part).arrays.rows
    },
  }
}

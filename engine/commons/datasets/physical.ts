import type { Dataset, DatasetName, FieldType } from './define.ts'
import { isOwnMember } from './resolve.ts'
import { fieldsOf } from './tree.ts'

/** Structure of a dataset's own documents, from which the levels and columns of a release are made. */
export interface Physical {
  /** Levels, parents before children. The empty path is the record. */
  readonly levels: readonly { readonly path: string; readonly parent: string }[]
  /** Fields in ascending order of their paths. Includes hidden fields, and leaves out the ids of linked records. */
  readonly fields: readonly {
    readonly path: string
    readonly type: FieldType
    /** Nearest level above the field. */
    readonly level: string
  }[]
  readonly links: readonly {
    readonly at: string
    /** Level whose elements have the link. Empty if the record itself has it. */
    readonly level: string
    readonly dataset: DatasetName
    /** Path of the member with the id. */
    readonly idAt: string
  }[]
}

/** Returns the levels, fields and links of a dataset's own documents (ADR 14). */
export function physicalOf(dataset: Dataset): Physical {
  const isOwn = (path: string) =>
    dataset.mounts.every(
      (mount) =>
        !path.startsWith(`${mount.at}.`) || isOwnMember(mount, path.slice(mount.at.length + 1)),
    )
  const reverse = dataset.mounts.filter(({ kind }) => kind === 'reverse').map(({ at }) => at)
  const levels = dataset.nested.filter((path) => isOwn(path) && !reverse.includes(path))
  const levelAbove = (path: string) =>
    levels.findLast((level) => path.startsWith(`${level}.`)) ?? ''

  return {
    levels: levels.map((path) => ({ path, parent: levelAbove(path) })),
    fields: [...fieldsOf(dataset.fields), ...fieldsOf(dataset.hidden)]
      .filter(([path]) => isOwn(path))
      .map(([path, type]) => ({ path, type, level: levelAbove(path) }))
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
    links: [...dataset.mounts, ...dataset.joins].flatMap((mount) => {
      if (mount.kind === 'reverse') return []
      const { at, dataset, by, idAt = `${at}.${by}` } = mount
      return [{ at, level: levelAbove(idAt), dataset, idAt }]
    }),
  }
}

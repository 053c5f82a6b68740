import type { Dataset, DatasetName, FieldType } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { physicalOf } from '../datasets/physical.ts'

/**
 * Structure of a dataset's own documents for the encoder, as plain data that can be sent to worker threads.
 * The empty level is the record itself.
 */
export interface Schema {
  readonly dataset: DatasetName
  readonly idField: string
  /** Levels, parents before children. */
  readonly levels: readonly { readonly path: string; readonly parent: string }[]
  readonly fields: readonly FieldSchema[]
  readonly links: readonly LinkSchema[]
}

interface FieldSchema {
  readonly path: string
  readonly type: FieldType
  readonly level: string
}

export interface LinkSchema {
  readonly at: string
  readonly level: string
  readonly dataset: DatasetName
  /** Path of the member with the id of the other record. */
  readonly idAt: string
  /** Type of the other dataset's id field. It determines how ids are compared. */
  readonly type: FieldType
}

/** Returns the physical schema of a dataset: its nested levels, fields and links. */
export function schemaOf(name: DatasetName): Schema {
  const dataset = datasetOf(name)
  const { levels, fields, links } = physicalOf(dataset)
  return {
    dataset: name,
    idField: dataset.idField,
    levels: levels.map(({ path, parent }) => ({ path, parent })),
    fields: fields.map(({ path, type, level }) => ({ path, type, level })),
    links: links.map((link) => ({ ...link, type: idTypeOf(datasetOf(link.dataset)) })),
  }
}

export function idTypeOf({ fields, idField }: Dataset): FieldType {
  const type = fields[idField]
  return typeof type === 'string' ? type : 'exact'
}

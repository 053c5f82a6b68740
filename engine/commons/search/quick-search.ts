import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'

export interface QuickSearchRequest {
  /** The start of an id or name, in any case. */
  readonly query: string
  readonly size: number
}

/** What `/all` answers (data-commons.md 4, vectors 27 and 28). */
export interface QuickSearchAnswer {
  readonly data: {
    readonly query: {
      readonly hits: readonly Readonly<Record<string, unknown>>[]
      readonly total: number
    }
  }
}

interface Kind {
  /** What a hit's id starts with before it is encoded. */
  readonly label: string
  readonly fields: readonly string[]
}

/** What is searched, in the order of the hits, and what is shown of it. */
const KINDS: Readonly<Partial<Record<DatasetName, Kind>>> = {
  projects: { label: 'Project', fields: ['project_id', 'name', 'disease_type', 'primary_site'] },
  cases: { label: 'Case', fields: ['case_id', 'submitter_id', 'disease_type', 'primary_site'] },
  files: { label: 'File', fields: ['file_id', 'file_name', 'submitter_id'] },
  annotations: { label: 'Annotation', fields: ['annotation_id', 'entity_id', 'entity_type'] },
  genes: { label: 'Gene', fields: ['gene_id', 'symbol', 'name'] },
  ssms: { label: 'Ssm', fields: ['ssm_id', 'genomic_dna_change', 'gene_aa_change'] },
}

export const QUICK_SEARCHED = DATASET_NAMES.filter((name) => KINDS[name] !== undefined)

export const quickSearchFields = (name: DatasetName): readonly string[] => KINDS[name]?.fields ?? []

/** A record as a hit: its id tells the kind of record, too. */
export function quickSearchHit(
  name: DatasetName,
  id: string,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const label = KINDS[name]?.label ?? name
  return {
    ...record,
    id: Buffer.from(`${label}:${id}`).toString('base64'),
    ...(name === 'projects' && { project_quicksearch: record.name }),
  }
}

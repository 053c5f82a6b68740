import { createHash } from 'node:crypto'

export type InputName = 'full' | 'quick' | 'test'

export interface Amounts {
  readonly cases: number
  readonly samples: number
  /** One of each sample. */
  readonly aliquots: number
  /** That are submitted to at the same time while others read. */
  readonly projects: number
}

export const AMOUNTS: Readonly<Record<InputName, Amounts>> = {
  full: { cases: 1000, samples: 10_000, aliquots: 10_000, projects: 10 },
  quick: { cases: 100, samples: 1000, aliquots: 1000, projects: 3 },
  test: { cases: 20, samples: 200, aliquots: 200, projects: 1 },
}

export const PROGRAM = 'BENCH'
export const projectCode = (number: number): string => `P${number}`

/** What is there before anything is measured, as two bodies. */
export function parentsOf({ cases, samples }: Amounts, code: string): readonly string[] {
  const each = <Entity>(count: number, make: (i: number) => Entity) =>
    JSON.stringify(Array.from({ length: count }, (_, i) => make(i)))
  return [
    each(cases, (i) => ({
      type: 'case',
      submitter_id: `case-${i}`,
      projects: { code },
      disease_type: 'Adenomas and Adenocarcinomas',
      primary_site: 'Breast',
    })),
    each(samples, (i) => ({
      type: 'sample',
      submitter_id: sampleName(i),
      cases: { submitter_id: `case-${i % cases}` },
      tissue_type: 'Tumor',
      tumor_descriptor: 'Primary',
      specimen_type: 'Solid Tissue',
      preservation_method: 'FFPE',
    })),
  ]
}

const sampleName = (i: number): string => `sample-${i}`

/** An aliquot as everybody keeps it. */
export interface Aliquot {
  readonly name: string
  readonly sample: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** Those of a turn have names that no other turn's have. */
export function aliquotsOf({ aliquots }: Amounts, turn: number): readonly Aliquot[] {
  return Array.from({ length: aliquots }, (_, i) => ({
    name: `aliquot-${turn}-${i}`,
    sample: sampleName(i),
    properties: {
      analyte_type: 'DNA',
      aliquot_quantity: (i % 90) / 4,
      concentration: (i % 170) / 8,
      source_center: '23',
    },
  }))
}

const COLUMNS = ['type', 'submitter_id', 'samples.submitter_id']

/** The table in which they are submitted. */
export function tableOf(aliquots: readonly Aliquot[]): string {
  const names = Object.keys(aliquots[0]?.properties ?? {})
  const rows = aliquots.map(({ name, sample, properties }) => [
    ...['aliquot', name, sample],
    ...names.map((one) => String(properties[one])),
  ])
  return `${[[...COLUMNS, ...names], ...rows].map((row) => row.join('\t')).join('\n')}\n`
}

/** What a database holds of an aliquot, by plain SQL. */
export interface StoredRow {
  readonly name: string
  /** Its submitter_id. */
  readonly parent: string
  /** A JSON text. */
  readonly properties: string
}

export const STORED = `SELECT e.submitter_id AS name, p.submitter_id AS parent, e.properties
  FROM submission_entities e JOIN submission_links l ON l.child = e.id
  JOIN submission_entities p ON p.id = l.parent WHERE e.type = 'aliquot'`

/** Stands for rows, in whatever order. */
export function digestOfRows(rows: Iterable<StoredRow>): string {
  const lines = Array.from(rows, ({ name, parent, properties }) => {
    const members = Object.entries(JSON.parse(properties) as object)
    return JSON.stringify([name, parent, members.sort(([a], [b]) => (a < b ? -1 : 1))])
  })
  return createHash('md5').update(lines.sort().join('\n')).digest('hex')
}

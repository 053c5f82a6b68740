import type { DescribedOperation } from './described-operations.ts'

// The largest records that the registry accepts, by the operation that writes them. Each is accepted where it is
// sent: records to change, publish or restore were created before (made-records.ts).

/** The path and the body that write a record. */
interface RecordInput {
  readonly what: string
  /** Names that replace those in the path. */
  readonly names?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The version to which such records are written, a copy of the demo's. */
export const EDITED_VERSION = 'costly'
/** The id of the existing record of each area, and of the existing schema and table. */
export const EDITED_ID = 'costly'

const several = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

const LONG = 'breast cancer of the lung '.repeat(20_000)

const DISEASE = {
  ...{ name: 'Costly', type: 'SOLID_TUMOR', icdO3_morphology: '8140/3' },
  alternate_name: several(20_000, (i) => ({ value: `name ${i}`, start: 2000, end: 2010 })),
}
const RX = { name: 'Costly', type: 'DRUG', alternate_name: several(90_000, (i) => `name ${i}`) }
const TERM = { name: 'Costly', alternate_name: several(90_000, (i) => `name ${i}`) }
const AREAS: Readonly<Record<string, object>> = { disease: DISEASE, rx: RX, glossary: TERM }

const column = (key: string, type = 'INPUT') => ({ key, name: key, type })
const TABLES: Readonly<Record<string, object>> = {
  'most rows': {
    definition: [column('a'), column('b', 'ENDPOINT'), column('c', 'ENDPOINT')],
    rows: several(14_000, (i) => [`${i}`, 'MATCH', `VALUE:${i}`]),
  },
  'most columns': {
    definition: several(11_000, (i) => column(`c${i}`)),
    rows: [several(11_000, (i) => `${i}`)],
  },
  'most ranges of a cell': {
    definition: [column('a'), column('b', 'ENDPOINT')],
    rows: several(20, () => [several(7_000, (i) => `${100_000 + i}`).join(), 'MATCH']),
  },
}

const REQUIRED = ['site', 'hist', 'year_dx'].map((key) => ({ key }))
const SCHEMAS: Readonly<Record<string, object>> = {
  'most inputs': {
    inputs: [...REQUIRED, ...several(9_900, (i) => ({ key: `x${i}`, name: 'x' }))],
    outputs: several(9_900, (i) => ({ key: `y${i}`, name: 'y' })),
  },
  'most mappings': {
    inputs: REQUIRED,
    mappings: several(1_000, (i) => ({ id: `m${i}`, tables: [{ id: EDITED_ID }] })),
  },
  'longest texts': { inputs: REQUIRED, description: LONG, notes: LONG },
}

/** A complete schema or table that is accepted. */
export const schemaOf = (part: object) => ({
  ...{ id: EDITED_ID, name: 'Costly', title: 'Costly', schema_selection_table: 'select_bowel' },
  ...part,
})
export const tableOf = (part: object) => ({
  id: EDITED_ID,
  name: 'Costly',
  title: 'Costly',
  ...part,
})

/** Numbers of the latest history entries of the schema and the table. */
export type MadeHistory = Readonly<Record<'schema' | 'table', number>>

/**
 * The largest bodies of operations that create or change a record; undefined for other operations.
 * @param history of the schema and the table that are there
 */
export function recordsOf(
  { method, path }: DescribedOperation,
  history: MadeHistory,
): readonly RecordInput[] {
  const [, area = '', operation] =
    /^\/rest\/(disease|glossary|rx)\/\{version\}\/(create|update|publish)$/.exec(path) ?? []
  const record = AREAS[area]
  if (operation === 'publish') {
    const body = { ids: [EDITED_ID] }
    return [{ what: 'a record', body }]
  }
  if (record) {
    const id = operation === 'update' ? EDITED_ID : undefined
    return [
      { what: 'most names of one', body: { ...record, id } },
      { what: 'longest text of one', body: { ...record, id, alternate_name: [], note: LONG } },
    ]
  }
  if (path === '/rest/hcpcs/code') {
    const brand_names = several(90_000, (i) => `name ${i}`)
    return [{ what: 'most names of one', body: { hcpcs_code: 'Z1000', brand_names } }]
  }
  if (path === '/rest/recode/survival-time') {
    const tumor = { date_of_diagnosis: '20100101', sequence: '01' }
    const patient = { end_year: '2020', date_of_last_contact: '20190101', vital_status: '1' }
    return [{ what: 'most tumours', body: { ...patient, tumors: several(100, () => tumor) } }]
  }
  return stagingOf(method, path, history)
}

function stagingOf(method: string, path: string, history: MadeHistory): readonly RecordInput[] {
  const inEdited = { version: EDITED_VERSION }
  const inMade = { ...inEdited, id: EDITED_ID }
  switch (`${method} ${path.replace('/rest/staging/{algorithm}', '')}`) {
    case 'POST ':
      return [{ what: 'longest text', names: { algorithm: 'costly' }, body: { description: LONG } }]
    case 'POST /{version}':
      return [
        { what: 'longest text', names: { version: 'costly-1' }, body: { naaccr_version: LONG } },
      ]
    case 'POST /{version}/copy':
      return [{ what: 'a copy', names: inEdited, body: { algorithm: 'demo', version: 'costly-2' } }]
    case 'POST /{version}/schema':
      return Object.entries(SCHEMAS).map(([what, part], i) => ({
        what,
        names: inEdited,
        body: { ...schemaOf(part), id: `costly-${i}` },
      }))
    case 'PUT /{version}/schema/{id}':
      return Object.entries(SCHEMAS).map(([what, part]) => ({
        what,
        names: inMade,
        body: schemaOf(part),
      }))
    case 'POST /{version}/batch': {
      const id = (i: number) => ({ id: `${EDITED_ID}-of-${i}` })
      const cells = { definition: [column('a')], rows: [['1']] }
      return [
        {
          what: 'most schemas',
          names: inEdited,
          body: {
            schemas: several(1_000, (i) => ({ ...schemaOf({ inputs: REQUIRED }), ...id(i) })),
          },
        },
        {
          what: 'most tables',
          names: inEdited,
          body: { tables: several(1_000, (i) => ({ ...tableOf(cells), ...id(i) })) },
        },
      ]
    }
    case 'POST /{version}/table':
      return Object.entries(TABLES).map(([what, part], i) => ({
        what,
        names: inEdited,
        body: { ...tableOf(part), id: `costly-${i}` },
      }))
    case 'PUT /{version}/table/{id}':
      return Object.entries(TABLES).map(([what, part]) => ({
        what,
        names: inMade,
        body: tableOf(part),
      }))
    case 'POST /{version}/schema/{id}/restore':
      return [{ what: 'the largest one', names: inMade, body: { history: history.schema } }]
    case 'POST /{version}/table/{id}/restore':
      return [{ what: 'the largest one', names: inMade, body: { history: history.table } }]
    default:
      return []
  }
}

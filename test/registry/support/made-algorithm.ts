// A small algorithm as it is posted: a site, two histologies, years from 2018 on.

const one = (key: string, rows: readonly string[]) => ({
  definition: [{ key, name: key, type: 'INPUT' }],
  rows: rows.map((cell) => [cell]),
})

export const TABLES = [
  { id: 'primary_site', name: 'Sites', ...one('site', ['C000', 'C001']) },
  { id: 'histology', name: 'Histologies', ...one('hist', ['8000-8002']) },
  { id: 'year', name: 'Years', ...one('year_dx', ['2018-{{ctx_year_current}}']) },
  {
    id: 'selection',
    name: 'Selection',
    definition: [
      { key: 'site', type: 'INPUT' },
      { key: 'hist', type: 'INPUT' },
      { key: 'result', type: 'ENDPOINT' },
    ],
    rows: [['C000', '*', 'MATCH']],
  },
  {
    id: 'sizes',
    title: 'Sizes',
    notes: 'A benign tumor is small.',
    definition: [
      { key: 'size', name: 'Size', type: 'INPUT' },
      { key: 'label', type: 'DESCRIPTION' },
      { key: 'stage', type: 'ENDPOINT' },
    ],
    rows: [
      ['000-010', 'small', 'VALUE:1'],
      ['011-999', 'large', 'VALUE:2'],
    ],
  },
] as const

export const SPARE_TABLE = { id: 'spare', title: 'Used by no schema', ...one('spare', ['1']) }

export const SCHEMA = {
  id: 'made',
  name: 'Made',
  title: 'Made for tests',
  schema_selection_table: 'selection',
  inputs: [
    { key: 'site', name: 'Site', table: 'primary_site', used_for_staging: true, metadata: ['M'] },
    { key: 'hist', name: 'Histology', table: 'histology' },
    { key: 'year_dx', table: 'year' },
    { key: 'size', name: 'Size', default: '999', unit: 'mm', decimal_places: 0 },
  ],
  outputs: [{ key: 'stage', name: 'Stage', default: '' }],
  mappings: [{ id: 'm', tables: [{ id: 'sizes' }] }],
} as const

export const CASE = { site: 'C000', hist: '8000', year_dx: '2020', size: '005' } as const

import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

/** Samples as they were listed before the commons, each with its case. */
export const legacySamples: TableKind = {
  name: 'legacy table of samples',
  needs: ['sample_id', 'case', 'sample_type_code'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const sampleId = uuidIn(cell('sample_id'), 'sample_id')
      const caseId = uuidIn(cell('case'), 'case')
      if (sampleId === undefined || caseId === undefined) {
        throw new RowError('the row names no sample and case')
      }
      const code = cell('tissue_source_site_code')
      const sample = defined({
        sample_id: sampleId,
        submitter_id: cell('id'),
        sample_type: cell('sample_type'),
        sample_type_id: cell('sample_type_code'),
        is_ffpe: truthOf(cell('is_ffpe')),
        oct_embedded: cell('oct_embedded'),
        days_to_collection: wholeNumber(cell('days_to_collection')),
        initial_weight: numberOf(cell('initial_weight')),
        shortest_dimension: numberOf(cell('shortest_dimension')),
        intermediate_dimension: numberOf(cell('intermediate_dimension')),
        longest_dimension: numberOf(cell('longest_dimension')),
        freezing_method: cell('freezing_method'),
      })
      table.intake.record(
        'cases',
        defined({
          case_id: caseId,
          samples: [sample],
          tissue_source_site:
            code === undefined ? undefined : defined({ code, name: cell('tissue_source_site') }),
        }),
        RANKS.hearsay,
      )
    }),
}

function truthOf(text: string | undefined): boolean | undefined {
  if (text === 'YES') return true
  return text === 'NO' ? false : undefined
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text)
  return text !== undefined && Number.isFinite(value) ? value : undefined
}

const KNOWN = [
  'sample_id',
  'case',
  'id',
  'sample_type',
  'sample_type_code',
  'is_ffpe',
  'oct_embedded',
  'days_to_collection',
  'initial_weight',
  'shortest_dimension',
  'intermediate_dimension',
  'longest_dimension',
  'freezing_method',
  'tissue_source_site',
  'tissue_source_site_code',
]

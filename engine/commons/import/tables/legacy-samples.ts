import { code, id, name, number, text, truth, whole, withValues } from '../columns.ts'
import { defined } from '../defined.ts'
import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { declareTable } from '../table-kind.ts'

/** Table of samples with the names of the old dictionary. Each row names the case of its sample. */
export const legacySamples = declareTable({
  name: 'legacy table of samples',
  columns: {
    // The UUID of the sample is in the column sample_id, its submitter id in the column id.
    sampleId: id('sample_id'),
    caseId: id('case'),
    submitterId: name('id'),
    type: text('sample_type'),
    typeCode: code('sample_type_code'),
    isFfpe: truth('is_ffpe'),
    octEmbedded: text('oct_embedded'),
    daysToCollection: whole('days_to_collection'),
    initialWeight: number('initial_weight'),
    shortest: number('shortest_dimension'),
    intermediate: number('intermediate_dimension'),
    longest: number('longest_dimension'),
    freezing: text('freezing_method'),
    site: text('tissue_source_site'),
    // Elsewhere, NA means a missing value. Here it is also the code of a TCGA site.
    siteCode: withValues(code('tissue_source_site_code'), 'NA'),
  },
  needs: ['sampleId', 'caseId', 'typeCode'],
  open:
    ({ intake }) =>
    (row) => {
      const { sampleId, caseId, siteCode } = row
      if (sampleId === undefined || caseId === undefined) {
        throw new RowError('the row names no sample or no case')
      }
      const record = defined({
        sample_id: sampleId,
        submitter_id: row.submitterId,
        sample_type: row.type,
        sample_type_id: row.typeCode,
        is_ffpe: row.isFfpe,
        oct_embedded: row.octEmbedded,
        days_to_collection: row.daysToCollection,
        initial_weight: row.initialWeight,
        shortest_dimension: row.shortest,
        intermediate_dimension: row.intermediate,
        longest_dimension: row.longest,
        freezing_method: row.freezing,
      })
      intake.record(
        'cases',
        defined({
          case_id: caseId,
          samples: [record],
          tissue_source_site:
            siteCode === undefined ? undefined : defined({ code: siteCode, name: row.site }),
        }),
        // Records of the commons and of the current release take precedence.
        RANKS.hearsay,
      )
    },
})

import type { SearchAnswer } from '../../cohort/count.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type MolecularTest, testsOf } from './molecular-tests.ts'

interface MeasuredFile {
  readonly msi_status?: string | null
  readonly msi_score?: number | null
}

/** Maximum number of files with a status. A case has one or two sequenced tumours. */
const MAX_FILES = 20

/** Returns what is known of a case's microsatellite instability: by its files, and by tests of the clinic. */
export function useInstability(hit: {
  readonly id: string
}): readonly (readonly [string, string])[] {
  const { data } = useAnswer<SearchAnswer<MeasuredFile>>({
    path: '/files',
    query: { fields: 'msi_status,msi_score', size: MAX_FILES },
    filters: {
      op: 'and',
      content: [
        { op: 'in', content: { field: 'cases.case_id', value: [hit.id] } },
        { op: 'not', content: { field: 'msi_status', value: 'MISSING' } },
      ],
    },
  })
  const files = (data?.data.hits ?? []).flatMap(({ msi_status: status, msi_score: score }) =>
    status ? [typeof score === 'number' ? `${status} (score ${score})` : status] : [],
  )
  const tests = testsOf(hit).map(wordsOf)
  return [
    ...(files.length > 0 ? [['MSI status of files', unique(files)] as const] : []),
    ...(tests.length > 0 ? [['Tests of instability', unique(tests)] as const] : []),
  ]
}

const unique = (texts: readonly string[]) => [...new Set(texts)].join(', ')

const wordsOf = ({ laboratory_test, mismatch_repair_mutation, test_result }: MolecularTest) =>
  [laboratory_test, test_result, mismatch_repair_mutation && `repair: ${mismatch_repair_mutation}`]
    .filter(Boolean)
    .join(': ')

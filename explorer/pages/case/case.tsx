import { onPage, withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import type { Filter } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { Facts } from '../../parts/facts.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { cellOf } from '../../records/cells.ts'
import { RECORD_SETS } from '../../records/record-sets.ts'
import { RecordsTable } from '../../records/records-table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { eventsOf } from './case-events.ts'
import { useInstability } from './instability.ts'
import { Life } from './life.tsx'
import { SampleTree } from './sample-tree.tsx'
import { countOf, samplesOf } from './samples.ts'

type CaseHit = Readonly<Record<string, unknown>> & { readonly id: string }

/** Groups that the page shows. */
const GROUPS = [
  'demographic',
  'diagnoses',
  'diagnoses.treatments',
  'follow_ups',
  'follow_ups.molecular_tests',
  'project',
  'samples',
  'samples.portions',
  'samples.portions.analytes',
  'samples.portions.analytes.aliquots',
  'samples.portions.slides',
]
/** Fields by which a case is found: its own names, and those of the parts of its samples. */
const NAMES = [
  'case_id',
  'submitter_id',
  ...['sample', 'portion', 'analyte', 'aliquot', 'slide'].flatMap((part) => [
    `${part}_ids`,
    `submitter_${part}_ids`,
  ]),
]

const among = (field: string, value: string): Filter => ({
  op: 'in',
  content: { field, value: [value] },
})

/** Page for one case, by its id or barcode, or by that of a sample or aliquot. */
export function CasePage() {
  const { address } = usePlace()
  const id = (address.query.get('id') ?? '').trim()
  const request: ServiceRequest = {
    path: '/cases',
    query: { expand: GROUPS.join(','), size: 1 },
    filters: { op: 'or', content: NAMES.map((field) => among(field, id)) },
  }
  const answer = useAnswer<SearchAnswer<CaseHit>>(id === '' ? undefined : request)
  if (id === '') return <EmptyNote>Open a case from a table, or search for it above.</EmptyNote>
  return (
    <Answered answer={answer}>
      {({ data: { hits } }) =>
        hits[0] ? (
          <KnownCase hit={hits[0]} request={request} />
        ) : (
          <EmptyNote>No case in the release has the id or barcode {id}.</EmptyNote>
        )
      }
    </Answered>
  )
}

function KnownCase({ hit, request }: { readonly hit: CaseHit; readonly request: ServiceRequest }) {
  const { go } = usePlace()
  const name = String(hit.submitter_id ?? hit.id)
  const samples = samplesOf(hit)
  const instability = useInstability(hit)
  const own = among('case_id', hit.id)
  const count = (kind: string) =>
    `${countOf(samples, kind).toLocaleString('en')} ${kind.toLowerCase()}s`
  return (
    <>
      <h2>{name}</h2>
      <Facts
        facts={[
          ['Project', cellOf(hit, 'project.project_id')],
          ['Primary site', cellOf(hit, 'primary_site')],
          ['Disease type', cellOf(hit, 'disease_type')],
          ['Diagnosis', cellOf(hit, 'diagnoses.primary_diagnosis')],
          ['AJCC stage', cellOf(hit, 'diagnoses.ajcc_pathologic_stage')],
          ['Age at diagnosis, years', cellOf(hit, 'diagnoses.age_at_diagnosis')],
          ['Gender', cellOf(hit, 'demographic.gender')],
          ['Vital status', cellOf(hit, 'demographic.vital_status')],
          ...instability,
          ['Case id', <span class="anywhere">{hit.id}</span>],
        ]}
      />
      <p class="links">
        <button
          type="button"
          onClick={() => go((now) => withCohort(onPage(now, 'cohort'), { name, filter: own }))}
        >
          Cohort of this case
        </button>
      </p>
      <Life name={name} events={eventsOf(hit)} request={request} />
      <h2>Samples</h2>
      {samples.length === 0 ? (
        <EmptyNote>No samples are known of this case.</EmptyNote>
      ) : (
        <>
          <p class="soft">
            {['Sample', 'Portion', 'Analyte', 'Aliquot', 'Slide'].map(count).join(', ')}
          </p>
          <SampleTree parts={samples} />
        </>
      )}
      <h2>Files</h2>
      <RecordsTable
        of={RECORD_SETS.files}
        filter={among('cases.case_id', hit.id)}
        prefix="files."
        empty="No file belongs to this case."
      />
      <h2>Simple mutations</h2>
      <RecordsTable
        of={RECORD_SETS.ssms}
        caseFilter={own}
        prefix="ssms."
        empty="No simple mutation of this case is known."
      />
      <h2>Copy-number changes</h2>
      <RecordsTable
        of={RECORD_SETS.cnvs}
        caseFilter={own}
        prefix="cnvs."
        empty="No copy-number change of this case is known."
      />
      <h2>Annotations</h2>
      <RecordsTable
        of={RECORD_SETS.annotations}
        filter={own}
        prefix="annotations."
        empty="Nobody has annotated this case."
      />
    </>
  )
}

import { onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import type { Filter } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { sizeText } from '../../parts/size.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { cellOf } from '../../records/cells.ts'
import { RECORD_SETS } from '../../records/record-sets.ts'
import { RecordsTable } from '../../records/records-table.tsx'
import { type ServiceRequest, statusOf } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { FileActions } from './file-actions.tsx'
import type { OneFile } from './one-file.ts'

const GROUPS = [
  'analysis',
  'associated_entities',
  'cases',
  'cases.project',
  'consent',
  'index_files',
]
const NAMES = ['file_id', 'file_name', 'submitter_id']

/** A version in the history of a file. */
interface FileVersion {
  readonly uuid: string
  readonly version: string
  readonly file_change: string
  readonly release_date: string
  readonly data_release: string
}

/** Page for one file, by its id or name. */
export function FilePage() {
  const { address } = usePlace()
  const id = (address.query.get('id') ?? '').trim()
  const request: ServiceRequest = {
    path: '/files',
    query: { expand: GROUPS.join(','), size: 1 },
    filters: {
      op: 'or',
      content: NAMES.map((field): Filter => ({ op: 'in', content: { field, value: [id] } })),
    },
  }
  const answer = useAnswer<SearchAnswer<OneFile>>(id === '' ? undefined : request)
  if (id === '') return <EmptyNote>Open a file from a table, or search for it above.</EmptyNote>
  return (
    <Answered answer={answer}>
      {({ data: { hits } }) =>
        hits[0] ? (
          <>
            <KnownFile file={hits[0]} />
            <FoldedRequests requests={[request]} />
          </>
        ) : (
          <>
            <EmptyNote>
              No file in the release has the id or name {id}. An older version may be in the
              history.
            </EmptyNote>
            <History id={id} />
          </>
        )
      }
    </Answered>
  )
}

function KnownFile({ file }: { readonly file: OneFile }) {
  const { address } = usePlace()
  const { cases = [], associated_entities: entities = [], index_files: indexes = [] } = file
  const [only] = cases
  return (
    <>
      <h2 class="anywhere">{file.file_name}</h2>
      <Facts
        facts={[
          ['Data type', file.data_type],
          ['Data category', cellOf(file, 'data_category')],
          ['Experimental strategy', cellOf(file, 'experimental_strategy')],
          ['Format', file.data_format],
          ['Size', sizeText(file.file_size)],
          ['Access', file.access],
          ['Consent', cellOf(file, 'consent') ?? cellOf(file, 'cases.project.consent')],
          ['Workflow', cellOf(file, 'analysis.workflow_type')],
          ['Platform', cellOf(file, 'platform')],
          ['Projects', cellOf(file, 'cases.project.project_id')],
          [
            'Case',
            cases.length === 1 && only ? (
              <Link to={onPage(address, 'case', { id: only.case_id })}>{only.submitter_id}</Link>
            ) : (
              cases.length > 1 && `${cases.length.toLocaleString('en')} cases, see below`
            ),
          ],
          ['Releases', cellOf(file, 'data_release')],
          ['MD5', <span class="anywhere">{file.md5sum}</span>],
          ['File id', <span class="anywhere">{file.id}</span>],
        ]}
      />
      <FileActions file={file} />
      {entities.length > 0 && (
        <Table caption="Made of" columns={ENTITIES} rows={entities} fileName="entities.tsv" />
      )}
      {indexes.length > 0 && (
        <Table caption="Index files" columns={INDEXES} rows={indexes} fileName="index-files.tsv" />
      )}
      <History id={file.id} />
      {cases.length > 1 && (
        <>
          <h2>Cases</h2>
          <RecordsTable
            of={RECORD_SETS.cases}
            filter={{ op: 'in', content: { field: 'files.file_id', value: [file.id] } }}
            prefix="cases."
            empty="The file is of no case."
          />
        </>
      )}
    </>
  )
}

/** Shows all versions of a file. */
function History({ id }: { readonly id: string }) {
  const { address } = usePlace()
  const request: ServiceRequest = { path: `/history/${encodeURIComponent(id)}` }
  const answer = useAnswer<readonly FileVersion[]>(request)
  const columns: readonly Column<FileVersion>[] = [
    { title: 'Version', value: ({ version }) => version },
    { title: 'Change', value: ({ file_change }) => file_change },
    { title: 'Data release', value: ({ data_release }) => data_release },
    { title: 'Date', value: ({ release_date }) => release_date },
    {
      title: 'File id',
      value: ({ uuid }) => uuid,
      show: ({ uuid }) =>
        uuid === id ? uuid : <Link to={onPage(address, 'file', { id: uuid })}>{uuid}</Link>,
    },
  ]
  return (
    <>
      <h2>History</h2>
      {statusOf(answer.error) === 404 ? (
        <EmptyNote>No history of this file is known.</EmptyNote>
      ) : (
        <Answered answer={answer}>
          {(versions) => (
            <Table
              caption="Versions of the file"
              columns={columns}
              rows={versions}
              fileName={`${id}-history.tsv`}
            />
          )}
        </Answered>
      )}
    </>
  )
}

const ENTITIES: readonly Column<NonNullable<OneFile['associated_entities']>[number]>[] = [
  { title: 'Kind', value: ({ entity_type }) => entity_type },
  { title: 'Barcode', value: ({ entity_submitter_id }) => entity_submitter_id },
  { title: 'Id', value: ({ entity_id }) => entity_id },
]

const INDEXES: readonly Column<NonNullable<OneFile['index_files']>[number]>[] = [
  { title: 'Index', value: ({ file_name }) => file_name },
  {
    title: 'Size',
    value: ({ file_size }) => file_size,
    show: ({ file_size }) => sizeText(file_size),
  },
  {
    title: 'Id',
    value: ({ file_id }) => file_id,
    show: ({ file_id }) => (
      <a href={`/data/${file_id}`} download>
        {file_id}
      </a>
    ),
  },
]

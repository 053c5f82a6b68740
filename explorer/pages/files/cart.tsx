import { useState } from 'preact/hooks'
import type { SearchAnswer } from '../../cohort/count.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { ErrorNote } from '../../parts/notes.tsx'
import { saveFile } from '../../parts/save.ts'
import { sizeText } from '../../parts/size.ts'
import { useService } from '../../service/context.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import type { FileHit } from './file-hit.ts'

const CONTROLLED: Filter = { op: 'in', content: { field: 'access', value: ['controlled'] } }

interface CartProps {
  /** Ids of the chosen files. */
  readonly chosen: readonly string[]
  readonly empty: () => void
  /** Filter of all files on the page, for a manifest of all. */
  readonly filter: Filter | undefined
  readonly total: number
}

/** Returns commands that download the files of a manifest. */
function commandsOf(origin: string, isOpen: boolean): string {
  const [ours, theirs] = isOpen ? ['', ''] : [' --token-file token.txt', ' -t token.txt']
  return [
    `casemill get --server ${origin} -m manifest.txt${ours}`,
    `gdc-client download -s ${origin} -m manifest.txt${theirs}`,
  ].join('\n')
}

/** Offers downloads and manifests of the chosen files, or of all that are found. */
export function Cart({ chosen, empty, filter, total }: CartProps) {
  const wanted: Filter | undefined =
    chosen.length > 0 ? { op: 'in', content: { field: 'file_id', value: chosen } } : filter
  const files = useAnswer<SearchAnswer<FileHit>>(
    chosen.length === 0
      ? undefined
      : {
          path: '/files',
          query: { fields: 'file_name,file_size,access', size: chosen.length },
          filters: wanted,
        },
  )
  const controlled = useAnswer<SearchAnswer>({
    path: '/files',
    query: { size: 0 },
    filters: bothOf(wanted, CONTROLLED),
  })
  const isOpen = controlled.data?.data.pagination.total === 0
  const manifest: ServiceRequest = {
    path: '/files',
    query: { return_type: 'manifest', size: chosen.length || total },
    filters: wanted,
  }
  const service = useService()
  const [error, setError] = useState('')
  const save = async () => {
    setError('')
    try {
      const answer = await service.fetch(manifest)
      saveFile('manifest.txt', await answer.blob())
    } catch (cause) {
      setError(String(cause))
    }
  }
  return (
    <section class="cart">
      <h2>
        {chosen.length === 0
          ? `All ${total.toLocaleString('en')} matching files`
          : `${chosen.length.toLocaleString('en')} selected files`}
      </h2>
      {chosen.length > 0 && (
        <Answered answer={files}>
          {({ data }) => {
            const bytes = data.hits.reduce((sum, { file_size = 0 }) => sum + file_size, 0)
            const ids = chosen.join(',')
            return (
              <p class="actions">
                {sizeText(bytes)}
                {isOpen ? (
                  <a href={`/data/${ids}${chosen.length > 1 ? '?tarfile' : ''}`} download>
                    Download {chosen.length > 1 ? 'as one archive' : 'it'}
                  </a>
                ) : (
                  <span class="soft">Some files are controlled: use the commands below.</span>
                )}
                <button type="button" class="quiet" onClick={empty}>
                  Clear selection
                </button>
              </p>
            )
          }}
        </Answered>
      )}
      <p class="actions">
        <button type="button" onClick={save}>
          Save the manifest
        </button>
      </p>
      {error !== '' && <ErrorNote text={error} />}
      <p>
        Then run one of these commands
        {!isOpen && ', with your token in the file token.txt, because some files are controlled'}:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>
        <code>{commandsOf(location.origin, isOpen)}</code>
      </pre>
      <FoldedRequests title="Manifest request" requests={[manifest]} />
    </section>
  )
}

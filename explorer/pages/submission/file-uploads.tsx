import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Answered } from '../../parts/answered.tsx'
import { errorText } from '../../parts/error-text.ts'
import { FoldedRequests } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { sizeText } from '../../parts/size.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { useService } from '../../service/context.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type GraphqlAnswer, graphqlRequest } from './graphql.ts'
import { uploadFile } from './upload-file.ts'

interface FileEntity {
  readonly id: string
  readonly type: string
  readonly submitter_id: string
  readonly file_name: string | null
  readonly file_size: number | null
  readonly file_state: string | null
  readonly error_type: string | null
}

/** State of a local file's upload. */
interface Progress {
  readonly name: string
  readonly size: number
  readonly sent: number
  readonly state: 'waits' | 'is sent' | 'was sent' | 'failed' | 'was cancelled'
  readonly words: string
}

interface FileUploadsProps {
  readonly projectId: string
  readonly onSent: () => void
  /** A counter. The data are loaded again when it changes. */
  readonly sent: number
}

const MAX_FILES = 500
const FILES = `query ($project: String) {
  datanode(first: ${MAX_FILES}, project_id: $project) {
    id type submitter_id file_name file_size file_state error_type
  }
}`

/** Shows submitted files. Uploads bytes for files that have none yet. */
export function FileUploads({ projectId, onSent, sent: renewal }: FileUploadsProps) {
  const { credentials } = useService()
  const [all, setAll] = useState<readonly Progress[]>([])
  const running = useRef<AbortController>(undefined)
  const isBusy = all.some(({ state }) => state === 'is sent' || state === 'waits')
  const change = (place: number, to: Partial<Progress>) =>
    setAll((before) => before.map((one, index) => (index === place ? { ...one, ...to } : one)))

  const send = async (files: readonly File[], entities: readonly FileEntity[]) => {
    const stop = new AbortController()
    running.current = stop
    setAll(
      files.map(({ name, size }) => ({ name, size, sent: 0, state: 'waits' as const, words: '' })),
    )
    for (const [place, file] of files.entries()) {
      const entity = entities.find(({ file_name }) => file_name === file.name)
      if (!entity) {
        const words =
          'No entity of the project has this file name. Send one with its name, size and MD5.'
        change(place, { state: 'failed', words })
        continue
      }
      change(place, { state: 'is sent' })
      try {
        await uploadFile({
          path: `/submission/${projectId.replace('-', '/')}/files/${entity.id}`,
          token: credentials.token,
          file,
          onProgress: (sent) => change(place, { sent }),
          signal: stop.signal,
        })
        const words = 'Its size and MD5 are being verified.'
        change(place, { state: 'was sent', sent: file.size, words })
      } catch (cause) {
        const words = errorText(cause)
        change(place, { state: stop.signal.aborted ? 'was cancelled' : 'failed', words })
      }
    }
    onSent()
  }
  return (
    <section>
      <h2>Files</h2>
      <FileEntities key={renewal} projectId={projectId}>
        {(entities) =>
          entities.length === 0 ? (
            <EmptyNote>
              The project has no file entities. Send one with the name, size and MD5 of the file,
              then upload the file here.
            </EmptyNote>
          ) : (
            <>
              <form class="controls">
                <label>
                  Files to upload, matched by name
                  <input
                    type="file"
                    multiple
                    disabled={isBusy}
                    onChange={(event) => send([...(event.currentTarget.files ?? [])], entities)}
                  />
                </label>
                <button type="button" onClick={onSent}>
                  Refresh
                </button>
                {isBusy && (
                  <button type="button" onClick={() => running.current?.abort()}>
                    Cancel
                  </button>
                )}
              </form>
              {all.length > 0 && <Uploads all={all} />}
              <Table
                caption={`Files of ${projectId}`}
                columns={COLUMNS}
                rows={entities}
                fileName={`${projectId}-files.tsv`}
              />
            </>
          )
        }
      </FileEntities>
    </section>
  )
}

interface FileEntitiesProps {
  readonly projectId: string
  readonly children: (entities: readonly FileEntity[]) => ComponentChildren
}

function FileEntities({ projectId, children }: FileEntitiesProps) {
  const request = graphqlRequest(FILES, { project: projectId })
  const answer = useAnswer<GraphqlAnswer<{ readonly datanode: readonly FileEntity[] }>>(request)
  return (
    <Answered answer={answer}>
      {({ data }) => (
        <>
          {children(data.datanode)}
          <FoldedRequests requests={[request]} />
        </>
      )}
    </Answered>
  )
}

function Uploads({ all }: { readonly all: readonly Progress[] }) {
  return (
    <ul class="uploads" aria-live="polite">
      {all.map(({ name, size, sent, state, words }) => (
        <li key={name} class={state === 'failed' ? 'error' : undefined}>
          <span>
            {name} {state}
          </span>
          <progress max={Math.max(1, size)} value={sent} aria-label={`${name} ${state}`} />
          <span class="soft">
            {sizeText(sent)} of {sizeText(size)}
          </span>
          {words !== '' && <span class="words">{words}</span>}
        </li>
      ))}
    </ul>
  )
}

const COLUMNS: readonly Column<FileEntity>[] = [
  { title: 'File', value: ({ file_name }) => file_name ?? undefined },
  { title: 'Entity', value: ({ submitter_id }) => submitter_id },
  { title: 'Type', value: ({ type }) => type },
  {
    title: 'Size',
    value: ({ file_size }) => file_size ?? undefined,
    show: ({ file_size }) => sizeText(file_size ?? undefined),
  },
  { title: 'State of the file', value: ({ file_state }) => file_state ?? undefined },
  { title: 'Error', value: ({ error_type }) => error_type ?? undefined },
]

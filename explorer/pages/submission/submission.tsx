import { useState } from 'preact/hooks'
import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { useService } from '../../service/context.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { EntityCounts } from './entity-counts.tsx'
import { FileUploads } from './file-uploads.tsx'
import { type GraphqlAnswer, graphqlRequest } from './graphql.ts'
import { SendEntities } from './send-entities.tsx'
import { Transactions } from './transactions.tsx'

interface Project {
  readonly code: string
  readonly state: string
  readonly released: boolean
  readonly programs: readonly { readonly name: string }[]
}

const PROJECTS = graphqlRequest(
  '{ project(first: 1000) { code state released programs { name } } }',
)

/** Page with a project's state, its entities and its transactions. */
export function SubmissionPage() {
  const { address, change } = usePlace()
  const hasToken = useService().credentials.token !== ''
  const answer = useAnswer<GraphqlAnswer<{ readonly project: readonly Project[] }>>(
    hasToken ? PROJECTS : undefined,
  )
  // Incremented after each submission, so that the page loads its data again.
  const [sent, setSent] = useState(0)
  const renew = () => setSent((count) => count + 1)
  if (!hasToken) {
    return <EmptyNote>Submission needs a data commons token. Enter it under “Sign in”.</EmptyNote>
  }
  return (
    <Answered answer={answer}>
      {({ data }) => {
        const projects = data.project.map((project) => ({
          ...project,
          id: `${project.programs[0]?.name ?? ''}-${project.code}`,
        }))
        const asked = address.query.get('project')
        const shown = projects.find(({ id }) => id === asked) ?? projects[0]
        if (!shown) return <EmptyNote>This token has access to no project.</EmptyNote>
        return (
          <>
            <form class="controls">
              <label>
                Project
                <select
                  value={shown.id}
                  onChange={(event) =>
                    change({ project: event.currentTarget.value, open: undefined, type: undefined })
                  }
                >
                  {projects.map(({ id }) => (
                    <option key={id} value={id}>
                      {id}
                    </option>
                  ))}
                </select>
              </label>
            </form>
            <p class="result">
              State: {shown.state}.{' '}
              {shown.released ? 'It was released.' : 'It is not released yet.'}
            </p>
            <EntityCounts key={`counts ${shown.id} ${sent}`} projectId={shown.id} />
            <SendEntities key={`entities ${shown.id}`} projectId={shown.id} onSent={renew} />
            <Transactions key={`transactions ${shown.id} ${sent}`} projectId={shown.id} />
            <FileUploads
              key={`files ${shown.id}`}
              projectId={shown.id}
              onSent={renew}
              sent={sent}
            />
          </>
        )
      }}
    </Answered>
  )
}

import type { ComponentChildren } from 'preact'
import { Answered } from '../../parts/answered.tsx'
import { ErrorNote } from '../../parts/notes.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import type { Version } from './staging-data.ts'

interface VersionFormProps extends Partial<Version> {
  readonly choose: (chosen: Partial<Version>) => void
  /** Content for the chosen version. */
  readonly children: (version: Version) => ComponentChildren
}

/** Form to choose an algorithm and a version. Defaults to the first algorithm and its newest version. */
export function VersionForm(props: VersionFormProps) {
  const { choose, children } = props
  const algorithms = useAnswer<readonly { readonly algorithm: string; readonly name: string }[]>({
    path: '/rest/staging/algorithms',
    credential: 'key',
  })
  const algorithm = props.algorithm ?? algorithms.data?.[0]?.algorithm
  const answer = useAnswer<readonly { readonly version: string }[]>(
    algorithm === undefined
      ? undefined
      : { path: `/rest/staging/${encodeURIComponent(algorithm)}/versions`, credential: 'key' },
  )
  // Until the new data are loaded, the old data belong to the previous algorithm.
  const versions = answer.isLoading ? [] : (answer.data ?? [])
  const version = props.version ?? versions.at(-1)?.version
  return (
    <>
      <Answered answer={algorithms}>
        {(all) => (
          <form class="controls">
            <label>
              Algorithm
              <select
                value={algorithm}
                onChange={(event) => choose({ algorithm: event.currentTarget.value })}
              >
                {all.map((one) => (
                  <option key={one.algorithm} value={one.algorithm}>
                    {one.name}
                  </option>
                ))}
              </select>
            </label>
            {algorithm !== undefined && (
              <label>
                Version
                <select
                  value={version}
                  onChange={(event) => choose({ algorithm, version: event.currentTarget.value })}
                >
                  {versions.map((one) => (
                    <option key={one.version} value={one.version}>
                      {one.version}
                    </option>
                  ))}
                </select>
              </label>
            )}
          </form>
        )}
      </Answered>
      {answer.error && <ErrorNote text={answer.error.message} />}
      {algorithm !== undefined && version !== undefined && children({ algorithm, version })}
    </>
  )
}

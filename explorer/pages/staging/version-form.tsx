import { useEffect } from 'preact/hooks'
import { Answered } from '../../parts/answered.tsx'
import { useAnswer } from '../../service/use-answer.ts'

interface VersionFormProps {
  readonly algorithm?: string
  readonly version?: string
  readonly choose: (chosen: { algorithm: string; version?: string }) => void
}

/** Chooses an algorithm and one of its versions; the newest of the only one by itself. */
export function VersionForm({ algorithm, version, choose }: VersionFormProps) {
  const algorithms = useAnswer<readonly { readonly algorithm: string; readonly name: string }[]>({
    path: '/rest/staging/algorithms',
    credential: 'key',
  })
  const versions = useAnswer<readonly { readonly version: string }[]>(
    algorithm === undefined
      ? undefined
      : { path: `/rest/staging/${encodeURIComponent(algorithm)}/versions`, credential: 'key' },
  )
  const first = algorithms.data?.[0]?.algorithm
  const newest = versions.isLoading ? undefined : versions.data?.at(-1)?.version
  useEffect(() => {
    if (algorithm === undefined && first !== undefined) choose({ algorithm: first })
    if (algorithm !== undefined && version === undefined && newest !== undefined) {
      choose({ algorithm, version: newest })
    }
  })
  return (
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
                {(versions.data ?? []).map((one) => (
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
  )
}

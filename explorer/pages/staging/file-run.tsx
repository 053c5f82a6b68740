import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { errorText } from '../../parts/error-text.ts'
import { ErrorNote } from '../../parts/notes.tsx'
import { sizeText } from '../../parts/size.ts'

interface FileRunProps<Progress> {
  readonly label: string
  /** Further fields of the form, which are disabled while a file is processed. */
  readonly fields?: (isRunning: boolean) => ComponentChildren
  /** Processes a file. Returns the final progress. */
  readonly run: (given: {
    readonly file: File
    readonly onProgress: (progress: Progress) => void
    readonly signal: AbortSignal
  }) => Promise<Progress>
  readonly children: (file: File, progress: Progress, isWhole: boolean) => ComponentChildren
}

interface RunProgress {
  readonly step: 'sending' | 'processing'
  readonly bytes: number
}

/** Form that processes a local file. Shows its progress, and what there is so far, also after an error. */
export function FileRun<Progress extends RunProgress>(props: FileRunProps<Progress>) {
  const { label, fields, run, children } = props
  const running = useRef<AbortController>(undefined)
  const [file, setFile] = useState<File>()
  const [progress, setProgress] = useState<Progress>()
  const [state, setState] = useState<'idle' | 'running' | 'done' | 'cancelled'>('idle')
  const [error, setError] = useState<string>()
  const start = async (chosen: File) => {
    const stop = new AbortController()
    running.current = stop
    setFile(chosen)
    setProgress(undefined)
    setError(undefined)
    setState('running')
    try {
      setProgress(await run({ file: chosen, onProgress: setProgress, signal: stop.signal }))
      setState('done')
    } catch (cause) {
      setState(stop.signal.aborted ? 'cancelled' : 'idle')
      if (!stop.signal.aborted) setError(errorText(cause))
    }
  }
  const isRunning = state === 'running'
  const { step = 'sending', bytes = 0 } = progress ?? {}
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        {fields?.(isRunning)}
        <label>
          {label}
          <input
            type="file"
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              const [chosen] = currentTarget.files ?? []
              // The same file can be chosen again, for example with another algorithm.
              currentTarget.value = ''
              if (chosen) void start(chosen)
            }}
          />
        </label>
        {isRunning && (
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        )}
      </form>
      {file && isRunning && (
        <p>
          <progress
            max={Math.max(1, file.size)}
            value={bytes}
            aria-label={`Part of ${file.name} in this step: ${step}`}
          />{' '}
          {step}: {sizeText(bytes)} of {sizeText(file.size)}
        </p>
      )}
      {error && <ErrorNote text={error} />}
      {state === 'cancelled' && <p class="note">Cancelled. What was done before is below.</p>}
      {file && progress && children(file, progress, !isRunning)}
    </>
  )
}

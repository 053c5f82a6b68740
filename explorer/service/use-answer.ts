import { useEffect, useRef, useState } from 'preact/hooks'
import { useService } from './context.ts'
import { ServiceError, type ServiceRequest } from './service.ts'

/** State of an answer. While a new one is loading, the previous data stay available. */
export interface Answer<Data> {
  readonly data: Data | undefined
  readonly error: ServiceError | undefined
  readonly isLoading: boolean
}

/**
 * Loads the answers to several requests in parallel; `undefined` loads nothing. Earlier requests are aborted
 * when the requests change.
 */
export function useAnswers<Data>(
  requests: readonly ServiceRequest[] | undefined,
): Answer<readonly Data[]> {
  const service = useService()
  const name = requests && JSON.stringify(requests)
  const kept = requests?.map((request) => service.kept(request))
  const isKept = kept?.every((answer) => answer !== undefined) ?? false
  const [answer, setAnswer] = useState<{ name: string | undefined } & Answer<readonly Data[]>>({
    name: undefined,
    data: undefined,
    error: undefined,
    isLoading: false,
  })
  const latest = useRef(requests)
  latest.current = requests
  const credentials = service.credentials
  useEffect(() => {
    if (name === undefined) return
    const leaving = new AbortController()
    const asked = latest.current ?? []
    setAnswer((before) => ({ ...before, name, error: undefined, isLoading: true }))
    Promise.all(asked.map((request) => service.ask<Data>(request, leaving.signal))).then(
      (data) => {
        if (!leaving.signal.aborted) setAnswer({ name, data, error: undefined, isLoading: false })
      },
      (cause: unknown) => {
        if (leaving.signal.aborted) return
        const error = cause instanceof ServiceError ? cause : new ServiceError(String(cause), 0)
        setAnswer({ name, data: undefined, error, isLoading: false })
      },
    )
    return () => leaving.abort()
  }, [name, service, credentials])
  if (name === undefined) return { data: undefined, error: undefined, isLoading: false }
  if (isKept && (answer.name !== name || answer.isLoading)) {
    return { data: kept as readonly Data[], error: undefined, isLoading: false }
  }
  return answer.name === name ? answer : { ...answer, error: undefined, isLoading: true }
}

/** Loads the answer to one request. */
export function useAnswer<Data>(request: ServiceRequest | undefined): Answer<Data> {
  const { data, ...state } = useAnswers<Data>(request && [request])
  return { data: data?.[0], ...state }
}

import { useEffect, useRef, useState } from 'preact/hooks'
import { useService } from './context.ts'
import type { Service, ServiceRequest } from './service.ts'
import { useReach } from './use-reach.ts'

/** State of an answer. The previous data stay available while new data are loading. */
export interface Answer<Data> {
  readonly data: Data | undefined
  /** A ServiceError, unless the page itself found the request impossible. */
  readonly error: Error | undefined
  readonly isLoading: boolean
}

const NOTHING = { data: undefined, error: undefined, isLoading: false } as const

/**
 * Loads data for a request; `undefined` loads nothing. An earlier load is aborted when the request or the
 * credentials change, or when all is to be loaded again.
 */
export function useLoaded<Given, Data>(
  given: Given | undefined,
  load: (service: Service, given: Given, signal: AbortSignal) => Promise<Data>,
): Answer<Data> {
  const service = useService()
  const name = given && JSON.stringify(given)
  const [answer, setAnswer] = useState<{ name: string | undefined } & Answer<Data>>({
    name: undefined,
    ...NOTHING,
  })
  const latest = useRef(given)
  latest.current = given
  const credentials = service.credentials
  const { round } = useReach()
  useEffect(() => {
    const { current } = latest
    if (name === undefined || current === undefined) return
    const leaving = new AbortController()
    setAnswer((before) => ({ ...before, name, error: undefined, isLoading: true }))
    load(service, current, leaving.signal).then(
      (data) => {
        if (!leaving.signal.aborted) setAnswer({ name, data, error: undefined, isLoading: false })
      },
      (cause: unknown) => {
        if (leaving.signal.aborted) return
        const error = cause instanceof Error ? cause : new Error(String(cause))
        setAnswer({ name, data: undefined, error, isLoading: false })
      },
    )
    return () => leaving.abort()
  }, [name, service, credentials, round])
  if (name === undefined) return NOTHING
  return answer.name === name ? answer : { ...answer, error: undefined, isLoading: true }
}

/** Loads the answers to several requests in parallel. Answers that the service has kept are returned at once. */
export function useAnswers<Data>(
  requests: readonly ServiceRequest[] | undefined,
): Answer<readonly Data[]> {
  const service = useService()
  const kept = requests?.map((request) => service.kept(request))
  const isKept = kept?.every((one) => one !== undefined) ?? false
  const answer = useLoaded(requests, (_, given, signal) =>
    Promise.all(given.map((request) => service.ask<Data>(request, signal))),
  )
  if (isKept && answer.isLoading) {
    return { data: kept as readonly Data[], error: undefined, isLoading: false }
  }
  return answer
}

/** Loads the answer to one request. */
export function useAnswer<Data>(request: ServiceRequest | undefined): Answer<Data> {
  const { data, ...state } = useAnswers<Data>(request && [request])
  return { data: data?.[0], ...state }
}

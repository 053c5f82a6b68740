import type { Issue } from '../engine/shared/index.ts'

/** Creates presigned URLs. The object need not exist. */
interface Presigner {
  presign(
    key: { readonly id: string; readonly name: string },
    options: { readonly now: Date; readonly seconds: number },
  ): Promise<{ readonly url: string }>
}

const SUBJECT = 'bucket'
/** Key without an object. CORS rules apply to the whole bucket. */
const KEY = Object.freeze({ id: '00000000-0000-4000-8000-000000000000', name: 'preflight' })
const PATIENCE_MILLISECONDS = 10_000
const ADVICE =
  'give the bucket the rule of docs/interfaces/ga4gh.md, section 5; programs that are no pages need none'

/**
 * Sends object storage the preflight request that a browser sends before a page of another origin reads a range
 * from a presigned URL. Yields the reasons why the browser would reject it.
 */
export async function* checkBucketCors(
  objects: Presigner,
  { origin, signal }: { readonly origin: string; readonly signal: AbortSignal },
): AsyncGenerator<Issue> {
  const { url } = await objects.presign(KEY, { now: new Date(), seconds: 60 })
  const problem = await problemOf(url, origin, signal)
  if (problem === undefined) return
  yield { subject: SUBJECT, problem: `${problem}; ${ADVICE}`, isNote: true }
}

async function problemOf(
  url: string,
  origin: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pages = `pages of ${origin} cannot read by addresses of the bucket`
  let answer: Response
  try {
    answer = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'range',
      },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    })
    await answer.body?.cancel()
  } catch {
    signal.throwIfAborted()
    return `what browsers ask the bucket at first (OPTIONS) has no answer, so that ${pages}`
  }
  const { ok, status, headers } = answer
  if (!ok) return `${pages}: OPTIONS is answered by status ${status}`
  const allowed = headers.get('access-control-allow-origin')
  if (allowed !== '*' && allowed !== origin) return `${pages}: it does not allow that origin`
  if (!lists(headers, 'access-control-allow-methods', 'get')) {
    return `${pages}: it does not allow them GET`
  }
  if (!lists(headers, 'access-control-allow-headers', 'range')) {
    return `${pages}: it does not allow them the header Range`
  }
  return undefined
}

function lists(headers: Headers, header: string, wanted: string): boolean {
  const names = (headers.get(header) ?? '').toLowerCase().split(',')
  return names.some((name) => ['*', wanted].includes(name.trim()))
}

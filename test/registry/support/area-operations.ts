import { fakeApp } from '../../commons/contract/fake-engine.ts'

/** An operation as the API document has it. */
export interface Operation {
  /** `POST /rest/staging/{algorithm}` */
  readonly name: string
  /** Whether it says that it answers this status. */
  readonly has: (status: number) => boolean
  readonly statuses: readonly number[]
  /** The content type of its body. */
  readonly posts: string | undefined
  /** Parameters of its query. */
  readonly queries: readonly string[]
}

interface Described {
  readonly responses: Readonly<Record<string, unknown>>
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}

/** Every operation of the registry's interface: what the routes say of themselves. */
export async function registryOperations(): Promise<readonly Operation[]> {
  const response = await fakeApp().app.request('/openapi.json')
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  }
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/rest/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) =>
        operationOf(`${method.toUpperCase()} ${path}`, described),
      ),
    )
}

function operationOf(name: string, described: Described): Operation {
  const { responses, requestBody, parameters = [] } = described
  const statuses = Object.keys(responses).map(Number).filter(Number.isInteger)
  return {
    name,
    statuses,
    has: (status) => statuses.includes(status),
    posts: Object.keys(requestBody?.content ?? {})[0],
    queries: parameters.filter((one) => one.in === 'query').map((one) => one.name),
  }
}

/** `staging` of `GET /rest/staging/algorithms`. */
export function areaOf({ name }: Pick<Operation, 'name'>): string {
  return /^\w+ \/rest\/([^/]+)/.exec(name)?.[1] ?? ''
}

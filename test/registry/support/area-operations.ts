import { fakeApp } from '../../commons/contract/fake-engine.ts'

/** An operation as the API document describes it. */
export interface Operation {
  /** Its name, such as `POST /rest/staging/{algorithm}`. */
  readonly name: string
  /** Whether it declares a status. */
  readonly has: (status: number) => boolean
  readonly statuses: readonly number[]
  /** The content type of the body. */
  readonly posts: string | undefined
  /** The query parameters. */
  readonly queries: readonly string[]
}

interface Described {
  readonly responses: Readonly<Record<string, unknown>>
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}

/** Every operation of the registry's interface, from the declarations of the routes. */
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

/** Returns `staging` for `GET /rest/staging/algorithms`. */
export function areaOf({ name }: Pick<Operation, 'name'>): string {
  return /^\w+ \/rest\/([^/]+)/.exec(name)?.[1] ?? ''
}

import type { ServiceRequest } from '../../service/service.ts'

export interface GraphqlAnswer<Data> {
  readonly data: Data
}

/** Creates a query of the submitted graph. */
export const graphqlRequest = (
  query: string,
  variables: Readonly<Record<string, string | number>> = {},
): ServiceRequest => ({
  path: '/submission/graphql',
  body: { query, variables },
  credential: 'token',
})

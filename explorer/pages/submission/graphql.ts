import type { ServiceRequest } from '../../service/service.ts'

export interface GraphqlAnswer<Data> {
  readonly data: Data
}

/** A question to the graph of submitted entities. */
export const graphqlRequest = (
  query: string,
  variables: Readonly<Record<string, string | number>> = {},
): ServiceRequest => ({
  path: '/submission/graphql',
  body: { query, variables },
  credential: 'token',
})

/** Security schemes of this interface (data-commons-service.md 5). */
export const commonsSecurity = Object.freeze({
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'A token of `casemill token create`. Open data requires none.',
  } as const,
})

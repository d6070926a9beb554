import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const validators = AjvCompiler()
const serializers = SerializerSelector()

/**
 * Fastify's own compilers of schemas, each at the first request that needs it: compiling the schemas of all routes took a
 * third of a start (docs/decisions/0061).
 */
export const compileLate = {
  buildValidator: (...options: Parameters<typeof validators>) => {
    const compile = validators(...options)
    type Validate = ReturnType<typeof compile>
    return (...route: Parameters<typeof compile>): Validate => {
      let compiled: Validate | undefined
      const validate = ((value: unknown) => {
        compiled ??= compile(...route)
        const outcome = compiled(value)
        validate.errors = compiled.errors ?? null
        return outcome
      }) as Validate
      return validate
    }
  },
  buildSerializer: (...options: Parameters<typeof serializers>) => {
    const compile = serializers(...options)
    return (...route: Parameters<typeof compile>) => {
      let compiled: ReturnType<typeof compile> | undefined
      return (value: unknown): string => (compiled ??= compile(...route))(value)
    }
  },
}

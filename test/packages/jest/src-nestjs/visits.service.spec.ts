import { Test } from '@nestjs/testing'
import { VisitsService } from './visits.service'

it('injects a service that uses a model', async () => {
  const module = await Test.createTestingModule({ providers: [VisitsService] }).compile()
  expect(module.get(VisitsService).ddl()[0]).toContain('CREATE TABLE `Visit`')
})

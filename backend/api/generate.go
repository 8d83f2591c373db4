package api

//go:generate go tool -modfile=../../build/tools/go.mod tygo generate --config tygo.yaml
//go:generate go run ./gen -service service.go -out ../../frontend/src/api/client.gen.ts

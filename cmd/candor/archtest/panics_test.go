package archtest

func panicsAllowed() []string {
	return []string{
		"agent/tool/tool.go", "agent/provider/script/script.go", "safety/format.go", "safety/vendor.go",
		"safety/policy.go", "safety/vocabulary.go",
	}
}

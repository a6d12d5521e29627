package oracle
import ("testing";"candor/safety";"os";"strings")
func BenchmarkZ(b *testing.B){
 layer := safety.NewLayer(safety.MaxBytes(1 << 20))
 for _,c:=range BenchCases(){ b.Run(strings.ReplaceAll(c.Name," ","_"),func(b *testing.B){ b.SetBytes(int64(len(c.Text))); for b.Loop(){layer.Leaks(c.Text)}})
 }
}
func BenchmarkW(b *testing.B){
 layer := safety.NewLayer(safety.MaxBytes(1 << 20))
 for _,c:=range WorstCases(){ if w:=os.Getenv("W"); w!="" && c.Name!=w {continue}; b.Run(c.Name,func(b *testing.B){ for b.Loop(){layer.Clean(c.Text)}})
 }
}
